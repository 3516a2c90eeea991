"""How ``replicadb/learning/prior.json`` was taught: the recipe, the generators and the record."""
