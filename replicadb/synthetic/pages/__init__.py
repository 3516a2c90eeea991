"""Generated pages and pairs with their gold."""
