"""Generated crawls and pages with known replicas."""
