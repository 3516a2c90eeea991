"""stub"""
METHODS = ()
