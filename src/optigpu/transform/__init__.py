"""The library of transformations. Not trusted: the checker verifies the program that a transformation makes."""
