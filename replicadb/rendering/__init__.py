"""Pages replayed from their archive in a headless browser."""
