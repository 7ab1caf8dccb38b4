"""Symbolic execution of loop bodies: what a loop does to memory, found by running its body once."""
