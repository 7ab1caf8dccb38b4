"""The trusted kernel: proof states, theorems, and one function a rule; standard library only. See docs/logic.md."""
