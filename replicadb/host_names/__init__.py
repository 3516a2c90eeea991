"""What host names say of sites, and whether it holds: aliases, families, wildcards."""
