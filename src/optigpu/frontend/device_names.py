"""Names that device code declares. They end with it: host code below a kernel has no values of its threads."""

from __future__ import annotations

from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.program import CallStmt, Decl, Stmt
from optigpu.syntax.scopes import Binding, Scope


class DeviceNames:
    """The names of a scope that are declared between `kernel_setup_end` and `kernel_teardown_begin`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.of_host: set[str] | None = None  # in device code
        self.ended: dict[str, Binding] = {}

    def before(self, s: Stmt) -> None:
        """Note what begins or ends before a statement."""
        names = self.scope.names
        if isinstance(s, CallStmt) and s.call.func == "kernel_setup_end":
            self.of_host = set(names)
        elif isinstance(s, CallStmt) and s.call.func == "kernel_teardown_begin":
            kept = names.keys() if self.of_host is None else self.of_host  # None: the kernel has no beginning
            self.ended |= {name: names.pop(name) for name in set(names).difference(kept)}
            self.of_host = None
        elif isinstance(s, Decl) and s.name in self.ended:
            label = Label(self.ended[s.name].loc, "in the kernel above, in the same block")
            raise input_error("OG101", f"`{s.name}` is declared again", s.loc, labels=(label,))
