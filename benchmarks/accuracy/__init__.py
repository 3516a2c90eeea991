"""How well detection and page methods decide, on crawls with known answers."""
