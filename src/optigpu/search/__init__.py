"""Proof search: finds the arguments of the kernel's rules (loop contracts, inverses, equality steps). Not trusted."""
