"""Solvers behind the judge's protocol, and the cache of their answers. Trusted."""
