"""Transformations of loops: `s.loop`."""
