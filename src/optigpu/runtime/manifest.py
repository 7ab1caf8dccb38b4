"""Built CUDA as files: the text beside a JSON of what it can be called with, for machines that have only the runtime."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.signature import ArrayParam, Requirement, ScalarParam, Signature
from optigpu.syntax import exprs
from optigpu.syntax.types import LOGIC_INT, LOGIC_REAL, PROP, SCALAR_NAMES, Scalar

_LOGICAL = {"logical int": LOGIC_INT, "logical real": LOGIC_REAL, "prop": PROP}
_NODES: dict[str, type[Any]] = {
    c.__name__: c
    for c in (
        exprs.Int, exprs.Real, exprs.Bool, exprs.Var, exprs.Unary, exprs.Binary, exprs.Cond, exprs.Cast, exprs.Call, exprs.SizeOf,
        exprs.Range, exprs.RangeBinder, exprs.BigOp,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BuiltCuda:
    """An emitted function, ready to be compiled and called."""

    source: str
    signature: Signature
    on_device: bool
    alignment: dict[str, int]

    def function(self, **options: Any) -> CudaFunction:
        return CudaFunction(self.source, self.signature, on_device=self.on_device, alignment=self.alignment, **options)


def save(built: BuiltCuda, folder: Path, key: str) -> None:
    """`key.cu` and `key.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{key}.cu").write_text(built.source, encoding="utf-8")
    data = {"signature": signature_to_json(built.signature), "on_device": built.on_device, "alignment": built.alignment}
    (folder / f"{key}.json").write_text(json.dumps(data, indent=1), encoding="utf-8")


def load(folder: Path, key: str) -> BuiltCuda:
    data = json.loads((folder / f"{key}.json").read_text(encoding="utf-8"))
    source = (folder / f"{key}.cu").read_text(encoding="utf-8")
    return BuiltCuda(source, signature_from_json(data["signature"]), data["on_device"], data["alignment"])


def signature_to_json(s: Signature) -> dict[str, Any]:
    params: list[dict[str, Any]] = []
    for p in s.params:
        if isinstance(p, ArrayParam):
            dims = [None if d is None else encode(d) for d in p.dims]
            params.append(
                {"array": p.name, "type": p.elem.name, "dims": dims, "written": p.written, "on_device": p.on_device}
            )
        else:
            params.append({"scalar": p.name, "type": p.type.name})
    facts = [{"text": r.text, "prop": encode(r.prop)} for r in s.requirements if encodable(r.prop)]
    return {
        "name": s.name,
        "params": params,
        "result": s.result and s.result.name,
        "requirements": facts,
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
                )
            )
        else:
            params.append(ScalarParam(p["scalar"], t))
    facts = tuple(Requirement(r["text"], decode(r["prop"])) for r in data["requirements"])
    result = SCALAR_NAMES[data["result"]] if data["result"] else None
    return Signature(data["name"], tuple(params), result, facts, tuple((a, b) for a, b in data["models"]))


def encodable(e: Any) -> bool:
    try:
        encode(e)
    except TypeError:
        return False
    return True


def encode(e: Any) -> Any:
    """A syntax node as JSON: its class and the fields that make it what it is, with the type that arithmetic depends on."""
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
        case _ if type(e).__name__ in _NODES:
            fields = {n: encode(getattr(e, n)) for n in _NODES[type(e).__name__].__match_args__}
            type_ = getattr(e, "type", None)
            return {
                "node": type(e).__name__,
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
