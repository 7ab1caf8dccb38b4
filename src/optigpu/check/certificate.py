"""The text of certificates: proofs, their program and what they rest on, as JSON.

A certificate is believed by nobody: an audit replays its proofs, and compares the rest with what it finds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from optigpu.check.recorded_proof import RuleCall, StateRef
from optigpu.kernel import context as groups
from optigpu.kernel import fragment_rules
from optigpu.kernel import loop_contract as iterations
from optigpu.kernel import side_conditions as conditions
from optigpu.light_dataclass import dataclass
from optigpu.logic import cells
from optigpu.logic import equality as values
from optigpu.logic import terms as k
from optigpu.logic.names import read_name
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term

FORMAT = 9
PARTS = frozenset({"format", "tool", "program", "emission", "contracts", "ledger", "terms", "proofs", "seal"})
_CLASSES = {
    c.__name__: c
    for c in (
        RuleCall, StateRef, cells.Cells, cells.CellClaim, groups.PendingRead, cells.Owner, conditions.Take, iterations.Cover,
        iterations.Exclusive, iterations.Invariant, iterations.LoopContract,
        values.Split, values.Widen, values.Reindex, values.Extend, values.Partition, values.Into, values.Maximum,
        values.Case, values.Replace, fragment_rules.Found,
    )
}  # fmt: skip


Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True, slots=True)
class CertificateHeader:
    """A certificate without its proofs. What it claims is unchecked: `audit` compares it with the program."""

    tool: str
    program: str
    emission: Mapping[str, object] | None  # the options with which code was emitted
    contracts: Mapping[str, object]  # function -> hash of its contract
    ledger: dict[str, Any]  # the assumptions


class _Encoder:
    """Terms are written once each, in the order of their parts."""

    def __init__(self) -> None:
        self.table: list[Json] = []
        self.numbers: dict[Term, int] = {}

    def encode(self, x: object) -> Json:
        if isinstance(x, Term):
            return {"t": self.term(x)}
        if is_dataclass(x) and not isinstance(x, type):
            name = type(x).__name__
            return {"!": name, **{f.name: self.encode(getattr(x, f.name)) for f in fields(x)}}
        if isinstance(x, tuple | list):
            return [self.encode(y) for y in x]
        if x is None or isinstance(x, str | int | bool):
            return x
        raise TypeError(f"cannot write {type(x).__name__}")

    def term(self, t: Term) -> int:
        found = self.numbers.get(t)
        if found is not None:
            return found
        match t.op:
            case "num":
                node: list[Json] = ["num", str(t.data), t.sort.name]
            case "var":
                node = ["var", str(t.data), sort_text(t.sort)]
            case "bound":
                node = ["bound", t.data, sort_text(t.sort)]
            case "poly":
                node = ["poly", [[[self.term(a) for a in m], str(c)] for m, c in t.data], t.sort.name]
            case "lam" | "forall":
                node = [t.op, [sort_text(s) for s in t.data], self.term(t.args[0])]
            case _:
                node = [t.op, *(self.term(a) for a in t.args)]
        self.table.append(node)
        self.numbers[t] = len(self.table) - 1
        return self.numbers[t]


def sort_text(s: Sort) -> Json:
    return [[sort_text(a) for a in s.args], sort_text(s.result)] if s.result is not None else s.name


def read_sort(x: Any) -> Sort:
    if isinstance(x, list):
        return k.fun_sort(tuple(read_sort(a) for a in x[0]), read_sort(x[1]))
    return {"int": INT, "real": REAL, "bool": BOOL}[x]


def read_terms(table: list[Any]) -> list[Term]:
    out: list[Term] = []
    for op, *rest in table:
        out.append(_read_term(op, rest, out))
    return out


def _read_term(op: str, rest: list[Any], known: list[Term]) -> Term:
    match op:
        case "num":
            sort = read_sort(rest[1])
            return k.num(int(rest[0]) if sort is INT else Fraction(rest[0]), sort)
        case "var":
            return k.var(read_name(rest[0]), read_sort(rest[1]))
        case "bound":
            return k.bound(rest[0], read_sort(rest[1]))
        case "true" | "false":
            return k.TRUE if op == "true" else k.FALSE
        case "poly":
            sort = read_sort(rest[1])
            one, number = k.num(1, sort), int if sort is INT else Fraction
            return k.add(k.num(0, sort), *(k.scale(number(c), k.mul(one, *(known[a] for a in m))) for m, c in rest[0]))
        case "lam" | "forall":
            sorts = tuple(read_sort(s) for s in rest[0])
            xs = tuple(k.placeholder("certificate", i, s) for i, s in enumerate(sorts))
            body = k.instantiate(known[rest[1]], xs)
            return k.lam(xs, body) if op == "lam" else k.forall(xs, body)
        case "sum" | "prod" | "all" | "argmax":
            return k.big(op, *(known[i] for i in rest))
        case "fold_max":
            start, low, high, body = (known[i] for i in rest)
            return k.big(op, low, high, body, start)
        case _:
            return k.CONSTRUCTORS[op](*(known[i] for i in rest))


def decode(x: Any, terms: list[Term]) -> Any:
    if isinstance(x, list):
        return tuple(decode(y, terms) for y in x)
    if isinstance(x, dict):
        if "t" in x:
            return terms[x["t"]]
        cls = _CLASSES[x["!"]]
        return cls(**{name: decode(value, terms) for name, value in x.items() if name != "!"})
    return x


def written_proofs(functions: dict[str, list[RuleCall]]) -> dict[str, Json]:
    """The part of a certificate that has the proofs: the terms that occur in them, and the calls of rules by function."""
    encoder = _Encoder()
    proofs: dict[str, Json] = {name: encoder.encode(calls) for name, calls in functions.items()}
    return {"terms": encoder.table, "proofs": proofs}


def certificate_text(proofs: Mapping[str, object], header: CertificateHeader) -> str:
    """A certificate as JSON text. `proofs`: the part with the proofs."""
    parts = {f.name: getattr(header, f.name) for f in fields(header)}
    return sealed({"format": FORMAT, **parts, **proofs})


def sealed(data: Mapping[str, object]) -> str:
    """The text of a certificate, with the hash of all its other parts. It is no signature: whoever changes a proof can seal it
    again, and is then left with what the kernel accepts."""
    parts = {name: value for name, value in data.items() if name != "seal"}
    return _json({**parts, "seal": hashlib.sha256(_json(parts).encode()).hexdigest()}) + "\n"


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(data, separators=(",", ":"), sort_keys=True)


def read_certificate(text: str) -> tuple[dict[str, list[RuleCall]], CertificateHeader]:
    """Proofs by function, and the header. Raises ValueError for anything malformed."""
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError(
                f"the certificate has format {data['format']}, not {FORMAT}: another version wrote it, make it again"
            )
        if set(data) != PARTS:
            raise ValueError(f"not a certificate (too much or too little: {', '.join(sorted(set(data) ^ PARTS))})")
        if text != sealed(data):
            raise ValueError("the certificate was changed after it was written")
        terms = read_terms(data["terms"])
        proofs = {name: list(decode(calls, terms)) for name, calls in data["proofs"].items()}
        for part, kind in (
            ("tool", str),
            ("program", str),
            ("emission", dict | None),
            ("contracts", dict),
            ("ledger", dict),
        ):
            if not isinstance(data[part], kind):
                raise ValueError(f"not a certificate ({part})")
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError, ArithmeticError, AssertionError) as e:
        raise ValueError(f"not a certificate ({type(e).__name__})") from None
    header = (data[f.name] for f in fields(CertificateHeader))
    return proofs, CertificateHeader(*header)
