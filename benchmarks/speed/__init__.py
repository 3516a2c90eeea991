"""Seconds, memory and file sizes of whole processes."""
