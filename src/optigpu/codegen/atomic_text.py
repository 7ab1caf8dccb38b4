"""Atomic operations as C and CUDA C++ text.

In C they are OpenMP's. Signed numbers are added as unsigned ones, modulo 2^bits: a sum that lacks summands need not fit.
"""

from __future__ import annotations

from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.exprs import Call, Expr, Index
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import subexpressions

LONG = {
    True: "long long",
    False: "unsigned long long",
}  # by whether the type is signed: CUDA has its 64-bit atomics for these


def device_atomic(operator: str, target: str, value: str, t: Scalar) -> str:
    """The call of CUDA's function. Integers of 64 bits are `long` in some compilers, for which there is none."""
    if t.kind is Kind.INT and t.bits == 64:
        name = LONG[t.signed and operator in ("atomicMin", "atomicMax")]
        return f"{operator}(({name}*)&{target}, ({name})({value}));"
    return f"{operator}(&{target}, {value});"


def host_atomic(operator: str, target: str, value: str, t: Scalar, of: Expr) -> list[str]:
    """Lines of C for the operation; `of` is the value as an expression, which is computed first if it reads memory."""
    unsigned = "unsigned" if t.bits == 32 else "uint64_t"
    if operator == "atomicAdd" and t.kind is Kind.INT and t.signed:
        target, value, name = f"*({unsigned}*)&{target}", f"({unsigned})({value})", unsigned
    else:
        name = t.name
    if operator not in ("atomicMin", "atomicMax") and not any(isinstance(x, Index | Call) for x in subexpressions(of)):
        return ["#pragma omp atomic", f"{target} {ATOMICS[operator]}= {value};"]
    lines = ["{", f"  const {name} optigpu_value = {value};"]
    if operator in ("atomicMin", "atomicMax"):
        order = "<" if operator == "atomicMin" else ">"
        change = f"  if (optigpu_value {order} {target}) {target} = optigpu_value;"
        return [*lines, "  #pragma omp critical(optigpu_atomic)", change, "}"]
    return [*lines, "  #pragma omp atomic", f"  {target} {ATOMICS[operator]}= optigpu_value;", "}"]
