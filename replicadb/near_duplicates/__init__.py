"""Methods that find near-duplicate pages, one file each."""
