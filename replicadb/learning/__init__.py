"""How to decide: NumPy arrays in and out. Imports errors, arrays and settings alone."""
