"""Transformations of reductions and prefix sums: `s.reduce`."""
