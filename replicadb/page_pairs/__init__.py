"""Pairs of pages compared by multiple signals, and classifiers that learn from them."""
