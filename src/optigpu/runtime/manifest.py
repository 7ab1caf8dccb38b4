"""Built CUDA functions as files: `.cu` text and a JSON manifest of how to call it, for machines with only the runtime."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from optigpu.codegen import launch_plan
from optigpu.codegen.launch_plan import Plan
from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.claims import Requirement
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.disk_cache import content_key
from optigpu.runtime.files import read_exact, write_whole
from optigpu.runtime.signature import ArrayParam, ScalarParam, Signature
from optigpu.syntax import exprs
from optigpu.syntax.types import LOGIC_INT, LOGIC_REAL, PROP, SCALAR_NAMES, Scalar

MANIFEST_FORMAT = 4  # version of the manifest
UNKNOWN_FACT = exprs.Var("unknown")  # stands for facts that cannot be encoded
_LOGICAL = {"logical int": LOGIC_INT, "logical real": LOGIC_REAL, "prop": PROP}
_EXPRESSIONS = (
    exprs.Int, exprs.Real, exprs.Bool, exprs.Var, exprs.Unary, exprs.Binary, exprs.Cond, exprs.Cast, exprs.Call, exprs.SizeOf,
    exprs.Range, exprs.RangeBinder, exprs.BigOp,
)  # fmt: skip
# The classes of nodes, by their names in the files.
_NODES: dict[str, type[Any]] = {
    **{c.__name__: c for c in _EXPRESSIONS},
    "Limit": launch_plan.PlanLimit,
    "Product": launch_plan.PlanProduct,
    "Let": launch_plan.PlanLet,
    "Scratch": launch_plan.PlanScratch,
    "Free": launch_plan.PlanFree,
    "Copy": launch_plan.PlanCopy,
    "LaunchKernel": launch_plan.PlanLaunch,
    "Tiles": launch_plan.PlanMap,
    "Repeat": launch_plan.PlanRepeat,
    "Choose": launch_plan.PlanChoice,
}
_NODE_NAMES = {c: name for name, c in _NODES.items()}


@dataclass(frozen=True, slots=True)
class BuiltCuda:
    """An emitted function, ready to be compiled and called."""

    source: str
    signature: Signature
    on_device: bool
    alignment: dict[str, int]
    kernels: str = ""  # the device code, for NVRTC
    plan: Plan | None = None  # the launch plan, for NVRTC
    verified: bool = False
    host_work: str = ""  # why it takes no device arrays

    def function(self, **options: Any) -> CudaFunction:
        return CudaFunction(
            self.source,
            self.signature,
            on_device=self.on_device,
            alignment=self.alignment,
            kernels=self.kernels,
            plan=self.plan,
            host_work=self.host_work,
            **options,
        )


def save(built: BuiltCuda, folder: Path, key: str) -> Path:
    """Write `key.cu` (for people and nvcc) and `key.json` (signature; for NVRTC, device code and launch plan)."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{key}.cu", built.source)
    write_whole(folder / f"{key}.json", manifest_text(built))
    return folder / f"{key}.json"


def manifest_text(built: BuiltCuda) -> str:
    data = {
        "format": MANIFEST_FORMAT,
        "verified": built.verified,
        "source": content_key(built.source),
        "signature": signature_to_json(built.signature),
        "on_device": built.on_device,
        "alignment": built.alignment,
        "plan": encode(built.plan) if encodable(built.plan) else None,
        "kernels": built.kernels,
        "host_work": built.host_work,
    }
    return json.dumps({**data, "seal": _seal(data)}, indent=1)


def load(folder: Path, key: str) -> BuiltCuda:
    path = folder / f"{key}.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        source = read_exact(folder / f"{key}.cu")
    except FileNotFoundError as e:
        raise CallError(f"{e.filename} is not there: `optigpu build` writes {key}.cu and {key}.json") from None
    except (ValueError, RecursionError) as e:
        raise CallError(f"{path} is not what `optigpu build` wrote: {e}") from None
    if not isinstance(data, dict) or data.get("format") != MANIFEST_FORMAT:
        raise CallError(f"{path} is not what `optigpu build` writes (or another version of it did): build it again")
    if data.get("source") != content_key(source):
        raise CallError(f"{key}.cu was changed after {key}.json was written: build it again")
    if data.get("seal") != _seal(data):
        raise CallError(f"{path} was changed after `optigpu build` wrote it: build it again")
    return BuiltCuda(
        source,
        signature_from_json(data["signature"]),
        data["on_device"],
        data["alignment"],
        data["kernels"],
        decode(data["plan"]),
        data["verified"],
        data["host_work"],
    )


def _seal(data: Mapping[str, object]) -> str:
    """The hash of everything else in the manifest: the way to call the code must not change either."""
    return content_key(json.dumps({name: value for name, value in data.items() if name != "seal"}, sort_keys=True))


def signature_to_json(s: Signature) -> dict[str, object]:
    params: list[dict[str, object]] = []
    for p in s.params:
        if isinstance(p, ArrayParam):
            dims = [None if d is None else encode(d) for d in p.dims]
            params.append(
                {
                    "array": p.name,
                    "type": p.elem.name,
                    "dims": dims,
                    "written": p.written,
                    "on_device": p.on_device,
                    "output": p.output,
                }
            )
        else:
            params.append({"scalar": p.name, "type": p.type.name, "number": p.number})
    facts = [{"text": r.text, "prop": encode(r.prop if encodable(r.prop) else UNKNOWN_FACT)} for r in s.requirements]
    return {
        "name": s.name,
        "params": params,
        "result": s.result and s.result.name,
        "requirements": facts,
        "reach": [{"text": r.text, "prop": encode(r.prop if encodable(r.prop) else UNKNOWN_FACT)} for r in s.reach],
        "models": [list(m) for m in s.models],
    }


def signature_from_json(data: dict[str, Any]) -> Signature:
    params: list[ArrayParam | ScalarParam] = []
    for p in data["params"]:
        t = SCALAR_NAMES[p["type"]]
        if "array" in p:
            params.append(
                ArrayParam(
                    p["array"],
                    t,
                    tuple(None if d is None else decode(d) for d in p["dims"]),
                    p["written"],
                    p["on_device"],
                    p["output"],
                )
            )
        else:
            params.append(ScalarParam(p["scalar"], t, p["number"]))
    facts = tuple(Requirement(r["text"], decode(r["prop"])) for r in data["requirements"])
    reach = tuple(Requirement(r["text"], decode(r["prop"])) for r in data["reach"])
    result = SCALAR_NAMES[data["result"]] if data["result"] else None
    return Signature(data["name"], tuple(params), result, facts, tuple((a, b) for a, b in data["models"]), reach)


def encodable(e: object) -> bool:
    try:
        encode(e)
    except TypeError:
        return False
    return True


def encode(e: Any) -> object:
    """A syntax node as JSON: its class, its fields, and its type, which arithmetic depends on."""
    match e:
        case None | bool() | int() | str():
            return e
        case Fraction():
            return {"node": "Fraction", "text": str(e)}
        case Scalar():
            names = {v: k for k, v in _LOGICAL.items()}
            return {"node": "Scalar", "name": names.get(e, e.name)}
        case tuple():
            return [encode(x) for x in e]
        case _ if type(e) in _NODE_NAMES:
            fields = {n: encode(getattr(e, n)) for n in type(e).__match_args__ if n != "loc"}
            type_ = getattr(e, "type", None)
            return {
                "node": _NODE_NAMES[type(e)],
                **fields,
                **({"type": encode(type_)} if isinstance(type_, Scalar) else {}),
            }
        case _:
            raise TypeError(type(e).__name__)


def decode(data: Any) -> Any:
    match data:
        case list():
            return tuple(decode(x) for x in data)
        case {"node": "Fraction", "text": text}:
            return Fraction(text)
        case {"node": "Scalar", "name": name}:
            return _LOGICAL.get(name) or SCALAR_NAMES[name]
        case {"node": name, **fields}:
            return _NODES[name](**{str(k): decode(v) for k, v in fields.items()})
        case _:
            return data
