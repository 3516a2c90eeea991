"""The pure half: how to decide. NumPy arrays in and out; imports errors and arrays alone."""
