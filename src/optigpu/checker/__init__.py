"""Drives the kernel: elaboration, symbolic execution, inference of loop contracts, explanations. Nothing here is trusted, except
that `elaborate` says in the kernel's terms what the program says in C, and that `replay` and `audit` call the kernel."""
