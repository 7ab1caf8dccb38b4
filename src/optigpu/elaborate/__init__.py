"""Elaboration: checked C to the kernel's programs. Trusted: a proof is about the program that elaboration makes."""
