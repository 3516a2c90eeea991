"""A generated crawl with its gold."""
