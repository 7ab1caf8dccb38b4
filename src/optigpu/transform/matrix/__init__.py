"""Transformations of arrays: `s.matrix`."""
