"""The constants that a program's macros stand for, substituted where a function is used outside its program."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Array, Expr, Type
from optigpu.syntax.program import Define, Function, Program, logical_variables
from optigpu.syntax.substitution import substitute


def constants_of(program: Program) -> dict[str, Expr]:
    """The value of each macro, without other macros in it."""
    values: dict[str, Expr] = {}
    for d in program.flat_items():
        if isinstance(d, Define):
            values[d.name] = substitute(d.value, values)
    return values


def without_constants(program: Program, f: Function) -> Function:
    """The function with macros replaced by their values in the sizes of its parameters and in its contract."""
    values = constants_of(program)
    for name in {p.name for p in f.params} | logical_variables(f.contract).keys():
        values.pop(name, None)  # a parameter or logical variable shadows the macro

    def sized(t: Type) -> Type:
        if not isinstance(t, Array):
            return t
        return replace(t, dims=tuple(None if d is None else substitute(d, values) for d in t.dims))

    params = tuple(replace(p, type=sized(p.type)) for p in f.params)
    contract = tuple(
        replace(c, items=tuple(replace(i, body=substitute(i.body, values)) for i in c.items)) for c in f.contract
    )
    return replace(f, params=params, contract=contract) if values else f
