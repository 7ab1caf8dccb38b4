"""A watch over a proof: it knows where the proof is, can tell a person, and ends a proof that takes longer than its user allows.

Verdicts depend on a clock only if a user sets a limit. A proof that is ended proves nothing: `OutOfTime` is no `Exception`, so that
no search takes it for an answer. It is raised by the search and by advice for the judge; what the judge remembers of a question
that was ended is that it is not proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from optigpu.light_dataclass import dataclass
from optigpu.syntax.source import NOWHERE, Loc

SHOWN_AFTER = 2.0  # seconds: what is quicker is not shown
SHOWN_EVERY = 0.2


class OutOfTime(BaseException):
    """The time that the user allows for the proof of a function is over."""


@dataclass(frozen=True, slots=True)
class Doing:
    """What a check is doing: the function, the place in the program, and for how many seconds it has been checking."""

    title: str  # of the step of a script
    function: str
    phase: str
    loc: Loc
    seconds: float


@dataclass
class Watch:
    """`limit`: seconds for the proof of one function. `show` is called now and then in a long check, and with None at its end."""

    limit: float | None = None
    show: Callable[[Doing | None], None] | None = None
    clock: Callable[[], float] = time.monotonic
    title: str = ""
    function: str = ""
    phase: str = ""
    instruction: int = 0
    _places: Sequence[Loc] = ()
    _begun: float = 0.0  # the check of the program
    _started: float = 0.0  # the proof of the function
    _next_shown: float = 0.0
    _shown: bool = False
    _running: bool = False  # a function is being proved

    def begin(self, places: Sequence[Loc]) -> None:
        """The check of a program begins; instruction k is at the k-th place."""
        self._places = places
        if self.limit is not None or self.show is not None:
            self._begun = self.clock()
            self._next_shown = self._begun + SHOWN_AFTER

    def start(self, function: str) -> None:
        """The proof of a function begins."""
        self.function, self.phase, self.instruction, self._running = function, "contract", 0, True
        if self.limit is not None:
            self._started = self.clock()

    def stop(self) -> None:
        """The proof of the function has ended."""
        self._running = False

    def step(self, instruction: int, phase: str) -> None:
        """The proof has come to an instruction."""
        self.instruction, self.phase = instruction or self.instruction, phase
        self.tick()

    def tick(self) -> None:
        """Called often. Raises OutOfTime."""
        if not self._running or (self.limit is None and self.show is None):
            return
        now = self.clock()
        if self.limit is not None and now - self._started > self.limit:
            raise OutOfTime
        if self.show is not None and now >= self._next_shown:
            self._next_shown, self._shown = now + SHOWN_EVERY, True
            self.show(Doing(self.title, self.function, self.phase, self.loc, now - self._begun))

    @property
    def loc(self) -> Loc:
        return self._places[self.instruction] if 0 < self.instruction < len(self._places) else NOWHERE

    def end(self) -> None:
        """The check of a program is over, in whatever way."""
        if self._shown and self.show is not None:
            self.show(None)
        self._shown = False
