"""The trusted kernel: proof states, theorems, and one function for each rule. See docs/logic.md.

`Kernel` (sealed.py) is the table of contents of the logic. Only the kernel makes states and theorems.
"""

from optigpu.kernel.causes import Rejected
from optigpu.kernel.ledger import Theorem
from optigpu.kernel.sealed import Judge, Kernel, Ledger
from optigpu.kernel.state import State

__all__ = ["Judge", "Kernel", "Ledger", "Rejected", "State", "Theorem"]
