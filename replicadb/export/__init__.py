"""Results as files: what is exported, and how it is written."""
