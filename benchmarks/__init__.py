"""What replicadb costs (``speed``) and how well it decides (``accuracy``)."""
