"""Replicas as files."""
