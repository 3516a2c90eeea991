"""From capture rows to tables."""
