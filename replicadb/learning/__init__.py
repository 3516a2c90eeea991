"""The pure half: how to decide. NumPy arrays in and out; imports nothing of the project
but errors.
"""
