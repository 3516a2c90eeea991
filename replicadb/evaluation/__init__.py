"""Proof: metrics, baselines, and generated crawls with known replicas."""
