"""Which hosts are replicas: one file a stage."""
