"""Random verified kernels for a machine with a GPU: their CUDA text, inputs, and what the interpreter makes of these.

`python -m tests.evidence.gpu_kernels --kernels 2000 --jobs 2` writes them to build/gpu-kernels, with the programs of
`tests/programs/exchange`; stopped, it goes on where it was. `gpu_run.py` compiles and runs them there: it needs nvcc and NumPy
alone. At least half of the kernels exchange data: on one of their inputs, a thread reads what another one of its block wrote in the
same launch, or gets it by a shuffle.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from optigpu.check.verify import Verifier
from optigpu.codegen.cuda import CudaUnit, emit_cuda
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.heap import UNINIT, MemoryView, offset_of
from optigpu.interp.inputs import Inputs, arguments, cells
from optigpu.interp.machine import Machine
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.runner import Runner
from optigpu.interp.testing import valid_inputs
from optigpu.interp.thread_scheduler import SHUFFLED_LANE, Thread, Wait
from optigpu.runtime.signature import DTYPES
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Array
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Function, Program
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import Scalar
from tests.evidence import work
from tests.evidence.gpu_programs import GpuMaker
from tests.evidence.gpu_shapes import GpuShapes
from tests.support.exchange import EXCHANGES, exchange
from tests.support.limits import TooSlow, within

FOLDER = Path("build/gpu-kernels")
CHUNK = 10
A_FILE = 25  # kernels
INPUTS, TRIED = 3, 8  # of each kernel
MOST_CELLS = 6000
SECONDS = 120  # for one kernel
LARGE = (32, 64, 64, 96, 128)  # threads of a block, so that several warps exchange data
CAREFUL = 0.9


def program(seed: int, number: int) -> str:
    """The function is called k00042."""
    r = Random(f"gpu/{seed}/{number}")
    match number % 4:
        case 0:
            text = GpuMaker(r, careful=CAREFUL).program()
        case 1:
            text = GpuShapes(r, careful=CAREFUL).program()
        case _:
            text = GpuMaker(r, LARGE, CAREFUL).program()
    return re.sub(r"^(void|float) f\(", rf"\1 k{number:05}(", text, flags=re.MULTILINE)


# What the interpreter says --------------------------------------------------------------------------------------------------


class Watched(Machine):
    """Sees whether a thread gets from another one what that has written since the kernel was launched."""

    exchanged = False

    def load(self, view: MemoryView, indices: tuple[int, ...], loc: Loc) -> Any:
        value = super().load(view, indices, loc)
        if self.thread is not None and not self.exchanged:
            shadow = view.alloc.shadow.get(offset_of(view, indices, loc))
            written = () if shadow is None or shadow.write is None else shadow.write.path
            if written and written[0] == self.path[0]:  # the same launch, and the same block
                self.exchanged = [i for _, i in written] != [i for _, i in self.path]
        return value

    def exchange(self, what: str, group: list[Thread], waits: list[Wait | None], loc: Loc) -> None:
        super().exchange(what, group, waits, loc)
        amounts = {w.shuffle[2] for w in waits if w is not None and w.shuffle is not None}
        self.exchanged |= any(SHUFFLED_LANE[what](lane, a) != lane for lane in range(len(group)) for a in amounts)


def results(runner: Runner, f: Function, inputs: Inputs) -> tuple[dict[str, Any], bool]:
    """One run: scalars, and of each array its shape, what it holds before and after (null: nothing); and whether threads exchanged
    data."""
    machine = Watched(runner.program, runner.functions, 0, 10**9, runner.effort)
    views = arguments(machine, f, inputs)
    result = machine.call(f.name, views, NOWHERE)
    arrays = {
        p.name: {
            "shape": inputs.shapes[p.name],
            "before": [number(x) for x in inputs.arrays[p.name]],
            "after": [number(x) for x in view.alloc.data],
        }
        for p, view in zip(f.params, views)
        if isinstance(view, MemoryView)
    }
    scalars = {name: number(x) for name, x in inputs.scalars.items()}
    return {"scalars": scalars, "arrays": arrays, "result": number(result)}, machine.exchanged


def number(x: Any) -> Any:
    return None if x is UNINIT else float(x) if isinstance(x, Fraction) else x


def interesting(runner: Runner, f: Function, seed: int) -> list[Inputs]:
    """Some that have cells; the later ones are larger."""
    candidates = (i for i in valid_inputs(runner, f, seed=seed, most=2 * TRIED) if 0 < cells(i) <= MOST_CELLS)
    return list(islice(candidates, TRIED))[-INPUTS:]


def record(parsed: Program, seed: int) -> dict[str, Any] | None:
    """A kernel with its runs; None if it has no inputs to run on."""
    unit = emit_cuda(parsed)
    f = parsed.function(unit.name)
    runner = Runner(parsed)
    runs = [results(runner, f, inputs) for inputs in interesting(runner, f, seed)]
    if not runs:
        return None
    return {
        "name": unit.name,
        "exchanging": any(exchanged for _, exchanged in runs),
        "params": [parameter(p.name, t) for p, t in parameters(parsed, unit)],
        "result": f.result.name if isinstance(f.result, Scalar) else None,
        "program": print_program(parsed),
        "runs": [run for run, _ in runs],
    }


def parameters(parsed: Program, unit: CudaUnit) -> list[tuple[Any, Any]]:
    f = without_constants(parsed, parsed.function(unit.name))
    return list(zip(f.params, effective_types(f)))


def parameter(name: str, t: Any) -> dict[str, Any]:
    if isinstance(t, Array):
        return {"name": name, "type": t.elem.name, "array": True, "on_device": t.space.name == "GMEM"}
    return {"name": name, "type": t.name, "array": False, "on_device": False}


# Making them ----------------------------------------------------------------------------------------------------------------


def candidate(seed: int, number_: int, verifier: Verifier) -> tuple[str, dict[str, Any] | None]:
    try:
        with within(SECONDS):
            parsed = parse_text(program(seed, number_))
            if not verifier.verify(parsed).verified:
                return "not verified", None
            made = record(parsed, number_)
            return ("no input", None) if made is None else ("kernel", {**made, "number": number_})
    except InputError:
        return "no lowering", None
    except (TooSlow, RecursionError, MemoryError):
        return "too slow", None
    except Misbehaviour as e:
        return f"misbehaves: {e}", None


def chunk(task: work.Task) -> dict[str, Any]:
    name, (seed, start, count) = task
    verifier, kernels, outcomes = Verifier(), [], []
    begin = time.process_time()
    for n in range(start, start + count):
        outcome, kernel = candidate(seed, n, verifier)
        outcomes.append(outcome)
        if kernel is not None:
            kernels.append(kernel)
    return {"task": name, "outcomes": outcomes, "kernels": kernels, "seconds": time.process_time() - begin}


def chosen(kernels: Sequence[dict[str, Any]], wanted: int) -> list[dict[str, Any]]:
    """The first so many, of which half or more exchange data."""
    others = 0
    out: list[dict[str, Any]] = []
    for kernel in sorted(kernels, key=lambda k: k["number"]):
        others += not kernel["exchanging"]
        if kernel["exchanging"] or others <= wanted // 2:
            out.append(kernel)
    return out[:wanted]


def exchanges() -> Iterator[dict[str, Any]]:
    """The programs that are there for this."""
    verifier = Verifier()
    for path in EXCHANGES:
        parsed = exchange(path)
        assert verifier.verify(parsed).verified, path
        made = record(parsed, 0)
        assert made is not None and (made["exchanging"] or path.stem == "global_two_kernels"), path
        yield made


# Writing them ---------------------------------------------------------------------------------------------------------------

HELPERS = """
extern "C" int device_allocate(void** p, size_t bytes) { return cudaMalloc(p, bytes); }
extern "C" int device_free(void* p) { return cudaFree(p); }
extern "C" int device_put(void* to, const void* from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
extern "C" int device_get(void* to, const void* from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
extern "C" int device_wait() { return cudaDeviceSynchronize(); }
"""


def joined(kernels: Sequence[dict[str, Any]]) -> str:
    """One file: what the texts include, then each in a namespace of its own."""
    includes: dict[str, None] = {}
    parts = []
    for k in kernels:
        lines = emit_cuda(
            parse_text(k["program"])
        ).text.splitlines()  # by the code as it is now, also if kept from before
        includes.update(dict.fromkeys(x for x in lines if x.startswith("#include")))
        body = "\n".join(x for x in lines if not x.startswith(("#include", "//")))
        parts.append(f"namespace of_{k['name']} {{\n{body.strip()}\n}}\n")
    return "\n".join([*includes, HELPERS, *parts])


def write(files: Mapping[str, Sequence[dict[str, Any]]], folder: Path) -> None:
    """For each file of kernels its text, its data, and a list that says how the kernels are called."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, inside in files.items():
        (folder / f"{name}.cu").write_text(joined(inside), encoding="utf-8")
        arrays: dict[str, Any] = {}
        listed = []
        for k in inside:
            types = {p["name"]: DTYPES[p["type"]] for p in k["params"]}
            for i, run in enumerate(k["runs"]):
                for a, held in run["arrays"].items():
                    shape = tuple(held["shape"])
                    for when in ("before", "after"):
                        values = [0 if x is None else x for x in held[when]]
                        arrays[f"{k['name']}.{i}.{a}.{when}"] = np.array(values, types[a]).reshape(shape)
                    known = np.array([x is not None for x in held["after"]]).reshape(shape)
                    if not known.all():
                        arrays[f"{k['name']}.{i}.{a}.known"] = known
            listed.append(
                {
                    **{n: k[n] for n in ("name", "exchanging", "params", "result")},
                    "runs": [{"scalars": r["scalars"], "result": r["result"]} for r in k["runs"]],
                }
            )
        np.savez_compressed(folder / f"{name}.npz", **arrays)
        (folder / f"{name}.json").write_text(json.dumps(listed), encoding="utf-8")


def main() -> int:
    parser = work.arguments("gpu_kernels", __doc__)
    parser.add_argument("--kernels", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    starts = range(0, 10 * args.kernels + CHUNK, CHUNK)
    tasks = [(f"{args.seed}:{start}+{CHUNK}", (args.seed, start, CHUNK)) for start in starts]
    kernels: list[dict[str, Any]] = []
    outcomes: list[str] = []
    seconds, begin = 0.0, time.monotonic()
    for r in work.run(tasks, chunk, args):
        kernels += r.get("kernels", [])
        outcomes += r.get("outcomes", ["lost"])
        seconds += r.get("seconds", 0.0)
        have = len(chosen(kernels, args.kernels))
        print(f"{have} of {args.kernels} kernels, {time.monotonic() - begin:.0f} s", end="\r", flush=True)
        if have == args.kernels:
            break
    for outcome in sorted(set(outcomes)):
        print(f"{outcomes.count(outcome):6} {outcome}")
    selected = chosen(kernels, args.kernels)
    parts = {f"random-{i // A_FILE:03}": selected[i : i + A_FILE] for i in range(0, len(selected), A_FILE)}
    write({"exchange": list(exchanges()), **parts}, args.folder)
    size = sum(p.stat().st_size for p in args.folder.iterdir()) / 2**20
    each = seconds / max(1, len(kernels))
    print(
        f"{len(selected)} kernels, {sum(k['exchanging'] for k in selected)} of them exchanging, and {len(EXCHANGES)} programs in "
        f"{args.folder}: {size:.1f} MiB; {each:.2f} s of computing for each kernel"
    )
    return 1 if any(o.startswith("misbehaves") for o in outcomes) or len(selected) < args.kernels else 0


if __name__ == "__main__":
    sys.exit(main())
