"""How to decide: NumPy arrays in and out, without a database."""
