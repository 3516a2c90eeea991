"""What a person decided of pairs and hosts: read from files, kept for ever, checked for
contradictions.
"""
