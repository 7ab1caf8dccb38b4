"""Problems about threads in words: races, barriers, levels, memory spaces, limits, phases of a kernel."""

from __future__ import annotations

from typing import Any

from optigpu.check.verdict import Problem
from optigpu.kernel.thread_rules import WARP
from optigpu.logic.terms import Term
from optigpu.report.term_text import TermPrinter

PROTOCOL = "kernel_launch, kernel_setup_end, kernel_teardown_begin, kernel_kill come in this order"
SPACES = {"Any": "host", "GMem": "global", "SMem": "shared", "TReg": "register", "Device": "device"}
CAUSES = {
    "OG324": "the iterations of this loop are not independent",
    "OG326": "the iterations of this loop are not independent",
    "OG340": "threads of one loop access the same cell, and one of them writes it",
    "OG343": "nothing orders blocks before the kernel ends",
    "OG352": "this memory goes out of scope while threads may still be using it, and the next iteration uses it again",
}
RACES = frozenset((*CAUSES, "OG341", "OG342"))  # what a run may show as two accesses that nothing orders
LEVELLED = ("OG345", "OG346", "OG347")  # what the levels are drawn for


def race_message(p: Problem, seen: str) -> str:
    """The cell that a run saw a race on, and what the checker says of the cause."""
    return f"{seen.partition(':')[0]}: {cause(p)}"


def cause(p: Problem) -> str:
    return CAUSES.get(p.code) or f"a {p.data.get('barrier', 'block')} barrier is missing"


def loop_name(v: str) -> str:
    """A loop's index as the program writes it."""
    return v.split("#", maxsplit=1)[0].split("~", maxsplit=1)[0]


def level_name(v: str) -> str:
    """A level of `races.levels`: the grid, who calls a device function, or a thread loop."""
    return "grid" if not v else v if v.endswith("()") else f"thread for {loop_name(v)}"


class ThreadWriter:
    """What is to be said of a problem with threads."""

    def __init__(self, p: Problem) -> None:
        self.p = p
        self.printer = TermPrinter()
        self.base = str(p.data.get("base", "")).split("~", maxsplit=1)[0]

    def show(self, t: Any) -> str:
        text = self.printer.show(t)
        return text if len(text) <= 300 else text[:297] + "…"

    def count(self, name: str) -> str:
        """A number of the context."""
        value = self.p.data.get(name, getattr(self.p.data.get("context"), name, "?"))
        return self.show(value) if isinstance(value, Term) else str(value)

    # Messages

    def thread_message(self, b: str) -> str:
        data = self.p.data
        match self.p.code:
            case "OG340" | "OG341" | "OG342":
                return f"data race on {b}: {cause(self.p)}"
            case "OG343":
                return f"data race on {b} between blocks: {cause(self.p)}"
            case "OG344" if data.get("space") == "TReg":
                return f"{b} is in registers: a thread cannot access those of another thread, nor change what its group shares"
            case "OG344":
                return f"{b} is in shared memory: a block cannot access that of another block"
            case "OG345":
                return self.barrier()
            case "OG346":
                return self.level(b)
            case "OG347":
                return f"{self.count('threads')} threads are not shown to be {self.count('extent')} equal parts"
            case "OG348":
                return self.space(b)
            case "OG349":
                return self.limit(b)
            case "OG350":
                return self.protocol(b)
            case "OG351" if data.get("why") == "free sizes":
                return "this is not the size it was allocated with"
            case "OG351" if data.get("space") == "TReg":
                return f"{b} is a register array of the whole grid: it would outlive the kernel"
            case "OG351":
                return f"{b} is shared memory of the kernel and is not freed when the kernel ends"
            case "OG352":
                return f"shared {cause(self.p)}"
            case "OG353":
                return "this vector access is not shown to be aligned: its first cell is at a multiple of its width"
            case _:
                return "a shuffle is by 0 to 31 lanes"

    def barrier(self) -> str:
        what, data = self.operation(), self.p.data
        if data.get("why") == "warp":
            return "the threads of a block are not shown to be whole warps of 32"
        if data.get("why") == "context":
            return f"{what} is for the threads of a kernel, and this is not run by them"
        size = f"a whole block ({self.count('block')} threads)" if what == "blocksync" else f"a warp ({WARP} threads)"
        return f"{what} must be reached by {size}, but this is run by groups of {self.count('threads')}"

    def operation(self) -> str:
        if self.p.data.get("rule") == "shuffle":
            return "a shuffle"
        return "warpsync" if self.p.data.get("barrier") == "warp" else "blocksync"

    def level(self, b: str) -> str:
        data = self.p.data
        if data.get("rule") == "allocate":
            return f"{b} is shared memory: it is declared where a whole block runs, not {self.count('threads')} threads"
        if data.get("rule") == "call" and data.get("why") == "context":
            who = "host code" if self.count("kind") == "host" else "threads of a kernel"
            return f"`{data.get('function')}` is a function for other code than this, which is run by {who}"
        if data.get("rule") == "call":
            have, want = self.count("threads"), self.count("size")
            return f"`{data.get('function')}` is for groups of {want} threads, but this is run by groups of {have}"
        return f"{self.count('threads')} threads write {b} at once: only a single thread can"

    def space(self, b: str) -> str:
        space = SPACES.get(str(self.p.data.get("space")), "other")
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

    # Notes

    def thread_notes(self) -> list[tuple[str, str]]:
        data, out = self.p.data, list[tuple[str, str]]()
        if self.p.code in LEVELLED and "levels" in data:
            out.append(("levels", self.drawn(data["levels"])))
        witness = data.get("witness")
        if witness:
            cell = self.base + "".join(f"[{i}]" for i in witness["cell"])
            who = [self.thread(witness[t], witness["block"]) for t in ("now", "then")]
            verbs = {"load": "reads", "call": "may access", "post": "may access"}
            now = verbs.get(str(data.get("rule")), "writes")
            then = "read" if data.get("why") == "read" else "wrote"
            out.append(("witness", f"{who[0]} {now} {cell}, which {who[1]} {then}; nothing orders them"))
        return out

    def drawn(self, levels: list[tuple[str, Term]]) -> str:
        """The groups of threads around this point, one inside the other, with their sizes."""
        names = ["  " * i + level_name(v) for i, (v, _) in enumerate(levels)]
        counts = [self.show(n) for _, n in levels]
        if self.p.code == "OG347":
            names.append("  " * len(names) + f"thread for {loop_name(str(self.p.data.get('index', '…')))}")
            counts.append(" / ".join(f"({n})" if " " in n else n for n in (counts[-1], self.count("extent"))))
        width, wide = max(map(len, names)), max(map(len, counts))
        lines = []
        for i, (name, n) in enumerate(zip(names, counts)):
            is_block = n == self.count("block")
            what = "a block" if is_block else "a warp" if n == str(WARP) else ""
            here = "here" if i == len(names) - 1 else ""
            said = ", ".join(x for x in (what, here) if x)
            unit = "thread" if n == "1" else "threads"
            lines.append(f"{name:<{width}}  {n:>{wide}} {unit}" + (f" ({said})" if said else ""))
        return "\n".join(lines)

    def thread(self, number: int, block: int) -> str:
        if self.p.data.get("scope") == "grid" and block > 0:
            return f"thread {number % block} of block {number // block}"
        return f"thread {number}"

    # Help

    def thread_help(self) -> str | None:
        data = self.p.data
        match self.p.code:
            case "OG340":
                return "give each thread its own cells"
            case "OG341" | "OG342":
                return self.missing_barrier()
            case "OG343":
                return "end the kernel between the two accesses, and launch another one"
            case "OG344" if data.get("space") == "TReg":
                return "threads exchange values through shared memory and blocksync(), or by a shuffle within a warp"
            case "OG344":
                return "blocks exchange values through global memory, from one kernel to the next"
            case "OG345":
                return self.right_level()
            case "OG346" if data.get("rule") == "store":
                return "put it into a thread for, or test for one thread inside of one"
            case "OG346" if data.get("rule") == "allocate":
                return "declare it outside of the thread loops over the block's threads"
            case "OG347":
                return "the extents of nested thread loops multiply to the threads of the launch"
            case "OG348":
                return "memcpy_host_to_device and memcpy_device_to_host copy between host and global memory"
            case "OG349" if data.get("rule") == "allocate":
                return f"ask for it in kernel_launch: the third argument counts bytes, {self.count('used')} are needed"
            case "OG349" if data.get("what") == "blocks":
                return "add a __requires that gives the range"
            case "OG350":
                return "kernel_launch(…); kernel_setup_end(); thread loops; kernel_teardown_begin(); kernel_kill();"
            case "OG351" if data.get("space") == "SMem":
                return f"__smem_free1({self.base}, n) between kernel_teardown_begin() and kernel_kill()"
            case "OG351" if data.get("why") == "free sizes":
                return "free it with the sizes of its __smem_malloc"
            case "OG352":
                return "put blocksync() at the end of the loop's body"
            case "OG353":
                return "start it at a multiple of its width, also in each row: the inner sizes of the array count"
            case "OG354":
                return "a shuffle stays in its warp: beyond 32 threads, go through shared memory"
            case _:
                return None

    def missing_barrier(self) -> str:
        data = self.p.data
        call, group = ("warpsync()", "warp") if data.get("barrier") == "warp" else ("blocksync()", "block")
        if data.get("rule") == "post":
            return f"put {call} at the end of the function, or let the contract say whose the cells are: desync_for"
        where = f"before line {data['sync_line']}" if data.get("sync_line") else "between the two accesses"
        return f"put {call} {where}, where a whole {group} runs{self.inside(group)}"

    def inside(self, group: str) -> str:
        """The loop in whose body a group of that size runs."""
        size = str(WARP) if group == "warp" else self.count("block")
        at = [level_name(v) for v, n in self.p.data.get("levels", ()) if v and self.show(n) == size]
        return f" (in `{at[-1]}`)" if at else ""

    def right_level(self) -> str | None:
        if self.p.data.get("why") != "level":
            return None
        group = "block" if self.operation() == "blocksync" else "warp"
        inside = self.inside(group)
        if inside:
            return f"move it to where a whole {group} runs{inside}"
        called = [n for v, n in self.p.data.get("levels", ()) if v.endswith("()")]
        if group == "block" and called:
            return (
                f'if a whole block calls this function, say so: __reads("KernelParams(_, {self.show(called[0])}, _)")'
            )
        if group == "block":
            return "put it inside a thread loop over the blocks"
        return f"put it inside thread loops whose iterations have {WARP} threads"
