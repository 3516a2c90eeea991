"""Methods beside each other on pairs that are known: figures, baselines, the papers' tables."""
