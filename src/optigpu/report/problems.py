"""Problems of the checker as diagnostics: one sentence, need beside have, the few facts that matter, and what to do."""

from __future__ import annotations

from typing import Any

from optigpu.checker.verdict import Problem
from optigpu.kernel.cells import Cells
from optigpu.kernel.facts import Facts
from optigpu.kernel.terms import Term, subterms
from optigpu.report.terms import TermPrinter
from optigpu.syntax.errors import Diagnostic, Label

MAX_FACTS = 6
PROTOCOL = "kernel_launch, kernel_setup_end, kernel_teardown_begin, kernel_kill come in this order"


def diagnostic_of(p: Problem) -> Diagnostic:
    labels = tuple(Label(loc, text) for loc, text in p.labels)
    if p.message:
        return Diagnostic(p.code, p.message, p.loc, labels)
    writer = _Writer(p)
    return Diagnostic(p.code, writer.message(), p.loc, labels, tuple(writer.notes()), writer.help())


class _Writer:
    def __init__(self, p: Problem) -> None:
        self.p = p
        self.printer = TermPrinter()
        base = str(p.data.get("base", ""))
        self.base = base.split("~", maxsplit=1)[0]

    def message(self) -> str:
        b = f"`{self.base}`" if self.base else "this"
        why = self.p.data.get("why", "")
        match self.p.code:
            case "OG302":
                if self.p.data.get("index") is None and self.p.data.get("why") == "no memory":
                    return f"{b} is not held here: it has been freed, or the contract does not mention it"
                return f"this access of {b} is not shown to stay within the cells that are held"
            case "OG303":
                return f"{b} is written, but the contract only reads it"
            case "OG304":
                return f"{b} is read where it may not have been written"
            case "OG305":
                return f"{b} does not hold what the contract promises"
            case "OG306":
                return f"not all cells of {b} that the contract promises have been written"
            case "OG307":
                return "this promise of the contract is not shown to hold"
            case "OG308":
                return f"{b} is not given back or freed: a leak"
            case "OG309" if why == "freed":
                return f"{b} comes from outside the loop and is freed in each iteration"
            case "OG309":
                return f"{b} is not an allocation that can be freed here"
            case "OG310":
                return "this divisor may be zero"
            case "OG311":
                return "the division is not shown to be exact"
            case "OG312":
                return "bit operations take numbers that are not negative"
            case "OG313":
                return "this conversion may change the value"
            case "OG314":
                return f"the size of {b} may be negative"
            case "OG315":
                return "a precondition of the called function is not shown to hold"
            case "OG316":
                what = {"value": "hold what", "init": "be written as"}.get(str(why), "be held as")
                return f"{b} is not shown to {what} the called function requires"
            case "OG317":
                return f"the sizes of {b} are not those that the called function declares"
            case "OG318":
                side = "before the loop" if self.p.data.get("rule") == "loop" else "at the end of the loop's body"
                return f"the invariant of this loop for {b} is not shown to hold {side}"
            case "OG319":
                return f"the effect of this loop on {b} follows no known law: it needs an invariant"
            case "OG320":
                return f"the two branches leave {b} in different hands"
            case "OG321":
                return "this assertion is not shown to hold"
            case "OG322":
                return (
                    f"what this ghost says of {b} is not shown to hold"
                    if self.base
                    else "this ghost is not shown to hold"
                )
            case "OG323":
                return f"the contract may claim a cell of {b} twice"
            case "OG324":
                return f"the iterations of this parallel loop are not independent: they share {b}"
            case "OG325":
                return "the step of this loop is not shown to be positive"
            case "OG326":
                return f"two iterations may write the same cell of {b}"
            case "OG332":
                return f"the contract claims cells of {b} that are not shown to lie within its declared sizes"
            case "OG340" | "OG341" | "OG342" | "OG343" | "OG344":
                return self.race(b)
            case "OG345":
                return self.barrier()
            case "OG346":
                return self.level(b)
            case "OG347":
                return (
                    f"the {self.count('threads')} threads here are not shown to be {self.count('extent')} equal parts"
                )
            case "OG348":
                return self.space(b)
            case "OG349":
                return self.limit(b)
            case "OG350":
                return self.protocol(b)
            case "OG351" if why == "free sizes":
                return "this is not the size it was allocated with"
            case "OG351" if self.p.data.get("space") == "TReg":
                return f"{b} is a register array of the whole grid: it would outlive the kernel"
            case "OG351":
                return f"{b} is shared memory of the kernel and is not freed when the kernel ends"
            case "OG352":
                return "shared memory goes out of scope while threads may still be using it, and the next iteration uses it again"
            case "OG353":
                return "this vector access is not shown to be aligned: its first cell is at a multiple of its width"
            case "OG354":
                return "a shuffle is by 0 to 31 lanes"
            case "OG330":
                return f"`{self.p.data.get('function')}` is called, but it is not verified itself"
            case "OG331":
                return f"no value was found for the logical variable `{self.p.data.get('name')}` of the called function"
            case _:
                return f"the checker could not go on here ({self.p.data.get('rule')}: {why})"

    # Threads

    def race(self, b: str) -> str:
        data = self.p.data
        verb = "read" if data.get("rule") in ("load", "call") else "written"
        match self.p.code:
            case "OG340":
                return (
                    f"data race on {b}: different threads of one loop access the same cell, and one of them writes it"
                )
            case "OG341":
                return f"data race on {b}: a block barrier is missing; it is {verb} here, but other threads wrote it before"
            case "OG342":
                return f"data race on {b}: a block barrier is missing; it is written here, but other threads may still read it"
            case "OG343":
                return f"data race on {b} between blocks: nothing orders blocks before the kernel ends"
            case _ if data.get("space") == "TReg":
                return f"{b} is in registers: a thread cannot access those of another thread, nor change what its group shares"
            case _:
                return f"{b} is in shared memory: a block cannot access that of another block"

    def barrier(self) -> str:
        what = "warpsync" if self.p.data.get("barrier") == "warp" else "blocksync"
        if self.p.data.get("why") == "warp":
            return "the threads of a block are not shown to be whole warps of 32"
        if self.p.data.get("why") == "context":
            return f"{what} is for the threads of a kernel, and this is not run by them"
        size = "a warp (32 threads)" if what == "warpsync" else f"a whole block ({self.count('block')} threads)"
        return f"{what} must be reached by {size}, but this is run by groups of {self.count('threads')}"

    def level(self, b: str) -> str:
        data = self.p.data
        if data.get("rule") == "allocate":
            return f"{b} is shared memory: it is declared where a whole block runs, not {self.count('threads')} threads"
        if data.get("rule") == "call":
            who = (
                "host code" if data.get("why") == "context" and self.count("kind") == "host" else "threads of a kernel"
            )
            return f"`{data.get('function')}` is a function for other code than this, which is run by {who}"
        return f"{self.count('threads')} threads write {b} at once: only a single thread can"

    def space(self, b: str) -> str:
        names = {"Any": "host", "GMem": "global", "SMem": "shared", "TReg": "register", "Device": "device"}
        space = names.get(str(self.p.data.get("space")), "other")
        if self.p.data.get("rule") == "call":
            return f"{b} is {space} memory, which is not what the called function takes"
        kind = self.count("kind")
        who = {"host": "host code", "threads": "device code"}.get(kind, f"the {kind} of a kernel")
        return f"{b} is {space} memory: {who} cannot access it"

    def limit(self, b: str) -> str:
        data = self.p.data
        if data.get("rule") == "allocate":
            used, most = self.count("used"), self.count("shared")
            return f"with {b} a block uses {used} bytes of shared memory, but the kernel is launched with {most}"
        match data.get("what"):
            case "threads":
                return "a block has 1 to 1024 threads"
            case "shared":
                return "a block has at most 232448 bytes of shared memory"
            case _:
                return "a kernel has 0 to 2147483647 blocks"

    def protocol(self, b: str) -> str:
        data, kind = self.p.data, self.count("kind")
        where = {"host": "host code", "threads": "the threads of a kernel"}.get(kind, f"the {kind} of a kernel")
        match data.get("rule"):
            case "launch":
                return f"this cannot follow in {where}: {PROTOCOL}"
            case "allocate":
                return f"{b} cannot be allocated in {where}"
            case "free":
                return f"{b} cannot be freed in {where}"
            case "call":
                return f"`{str(data.get('function')).partition('.')[0]}` cannot be called in {where}: {PROTOCOL}"
            case "loop":
                return f"a {data.get('mode')} loop has no meaning in {where}"
            case _:
                return "a kernel that is started here must also end here"

    def count(self, name: str) -> str:
        """A number of the context."""
        value = self.p.data.get(name, getattr(self.p.data.get("context"), name, "?"))
        return self.show(value) if isinstance(value, Term) else str(value)

    def thread_notes(self) -> list[tuple[str, str]]:
        data, out = self.p.data, list[tuple[str, str]]()
        if self.p.code in ("OG345", "OG346", "OG347") and "levels" in data:
            names = [f"{self.show(n)}" + (f" ({self.base_name(v)})" if v else " (grid)") for v, n in data["levels"]]
            out.append(("levels", " > ".join(names) + " threads"))
        witness = data.get("witness")
        if witness:
            cell = self.base + "".join(f"[{i}]" for i in witness["cell"])
            who = [self.thread(witness[t], witness["block"]) for t in ("now", "then")]
            now = "reads" if data.get("rule") == "load" else "writes"
            then = "read" if data.get("why") == "read" else "wrote"
            out.append(("witness", f"{who[0]} {now} {cell}, which {who[1]} {then}; nothing orders them"))
        return out

    def thread(self, number: int, block: int) -> str:
        if self.p.data.get("scope") == "grid" and block > 0:
            return f"thread {number % block} of block {number // block}"
        return f"thread {number}"

    def base_name(self, v: str) -> str:
        return v.split("#", maxsplit=1)[0].split("~", maxsplit=1)[0]

    def notes(self) -> list[tuple[str, str]]:
        out: list[tuple[str, str]] = self.thread_notes()
        data = self.p.data
        if data.get("witness"):
            return out
        need, at = data.get("need"), data.get("at")
        if isinstance(need, Cells) and isinstance(data.get("have"), Cells):
            index = "".join(f"[{self.show(e)}]" for e in need.at(at or ())) if at is not None else ""
            out.append(("need", f"{self.base}{index}" if index else self.printer.cells(need)))
            out.append(("have", self.printer.cells(data["have"]).replace(str(data["base"]), self.base, 1)))
        elif data.get("found") is not None:
            cells = data.get("cells")
            if isinstance(cells, Cells) and at is not None:
                out.append(("cell", self.base + "".join(f"[{self.show(e)}]" for e in cells.at(at))))
            out.append(("need", self.show(data["wanted"])))
            out.append(("have", self.show(data["found"])))
        elif isinstance(data.get("goal"), Term):
            out.append(("need", self.show(data["goal"])))
        facts = data.get("facts")
        if isinstance(facts, Facts):
            shown = self.relevant(facts, data)
            if shown:
                out.append(("given", ", ".join(shown)))
        return out

    def show(self, t: Any) -> str:
        text = self.printer.show(t)
        return text if len(text) <= 300 else text[:297] + "…"

    def relevant(self, facts: Facts, data: dict[str, Any]) -> list[str]:
        """Facts about what the goal speaks of, shortest first."""
        goal = data.get("goal")
        wanted = set(goal.free) if isinstance(goal, Term) else set()
        for t in (data.get("found"), data.get("wanted")):
            wanted |= t.free if isinstance(t, Term) else set()
        texts = [self.printer.show(i) for i in facts.items if not wanted or i.free & wanted]
        return sorted({t for t in texts if len(t) < 90}, key=lambda t: (len(t), t))[:MAX_FACTS]

    def help(self) -> str | None:
        data = self.p.data
        match self.p.code:
            case "OG302":
                return "compare the loop's bounds with the sizes in the contract, or add a __requires"
            case "OG303":
                return f'__consumes("{self.base} ~> …") and __produces("{self.base} ~> …") instead of __reads'
            case "OG304":
                return f"write {self.base} before this, or initialise it"
            case "OG306":
                return "does the loop reach every index, and every size?"
            case "OG308":
                return f"free({self.base}), or give it back with __produces"
            case "OG310":
                return "add a __requires that excludes zero, or guard it with if"
            case "OG311":
                return self.divides(data.get("goal"))
            case "OG312" | "OG313" | "OG314":
                return "add a __requires that gives the range"
            case "OG319":
                return f'__spreserves("&{self.base} ~~> value at the start of iteration i") in the loop'
            case "OG320":
                return "allocate before the if and free after it, or do both in both branches"
            case "OG324" | "OG326":
                return "remove the pragma, or give each iteration its own cells"
            case "OG340":
                return "give each thread its own cells"
            case "OG341" | "OG342":
                return "put blocksync() between the two accesses, at block level"
            case "OG343":
                return "end the kernel between the two accesses, and launch another one"
            case "OG345":
                return "move it out of the thread loops, to where one block runs"
            case "OG346" if data.get("rule") == "store":
                return "put it into a thread for, or test for one thread inside of one"
            case "OG347":
                return "the extents of nested thread loops multiply to the threads of the launch"
            case "OG348":
                return "memcpy_host_to_device and memcpy_device_to_host copy between host and global memory"
            case "OG351" if data.get("space") == "SMem":
                return f"__smem_free1({self.base}, n) between kernel_teardown_begin() and kernel_kill()"
            case "OG352":
                return "put blocksync() at the end of the loop's body"
            case "OG331":
                return "let a permission of its contract name it, as in Matrix1(n, A)"
            case _:
                return None

    def divides(self, goal: Any) -> str | None:
        """`exact_div(a, b)` needs a fact `a % b == 0`."""
        if isinstance(goal, Term):
            for t in (a for a in subterms(goal) if a.op == "fdiv"):
                return f'__requires("{self.show(t.args[0])} % {self.show(t.args[1])} == 0")'
        return None
