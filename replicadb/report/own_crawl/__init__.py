"""The page about somebody's own crawl: what a detection found in it, with no gold beside."""
