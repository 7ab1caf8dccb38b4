"""Solver back ends behind the kernel's protocol, and the cache of their answers."""
