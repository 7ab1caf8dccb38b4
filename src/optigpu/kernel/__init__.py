"""The trusted kernel: standard library only, small, one function per rule. See docs/logic.md."""
