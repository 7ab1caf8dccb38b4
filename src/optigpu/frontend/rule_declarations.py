"""Declarations of built-in functions by their contract: compared with the rule, up to names and the order of clauses.

Such a declaration adds nothing to a program: the kernel's own rule is used. A function of another name whose contract is that of a
transition between the phases of a kernel is that transition under another name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations

from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Binary, Call, Expr, FunType, Group, PointsTo, SizeOf, Type, TypeOf, Var
from optigpu.syntax.gpu_rules import ALSO_WRITTEN, RULES, TRANSITIONS, rule_text
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Function, Item, RuleDeclaration, logical_variables
from optigpu.syntax.types import FLOAT, TEMPLATE_ELEMENT, VOID, Pointer, Scalar
from optigpu.syntax.walk import map_children, subexpressions

Clauses = Counter[tuple[str, str]]  # kind and canonical text
ParseFunction = Callable[[str], Function]
CONTEXTS = frozenset({"HostCtx", "KernelSetupCtx", "KernelTeardownCtx", "ThreadsCtx"})
PHASES = frozenset({"KernelSetupCtx", "KernelTeardownCtx"})


def rule_declaration(f: Function, parse: ParseFunction) -> RuleDeclaration | None:
    """The built-in function that a function (as parsed) declares; None for a function of the program."""
    if f.name in RULES:
        wanted = [f.name]
    elif _changes_context(f):
        wanted = list(TRANSITIONS)
    else:
        return None
    if not f.declared_only:
        message = f"`{f.name}` is built in: its contract can be declared, but it has no body"
        raise input_error("OG119", message, f.loc, help="__admitted();")
    for rule in wanted:
        if any(not _differences(f, parsed) for parsed in _rules(rule, element_type(f), parse)):
            return RuleDeclaration(f.name, rule, f.loc)
    raise _wrong(f, wanted, parse)


def element_type(f: Function) -> Scalar:
    """The element type of a memory function: that of its pointers."""
    types = [f.result, *(p.type for p in f.params)]
    return next((t.elem for t in types if isinstance(t, Pointer)), FLOAT)


@cache
def _rules(name: str, element: Scalar, parse: ParseFunction) -> tuple[Function, ...]:
    """The rule of a built-in function, in all the ways in which it is written."""
    text = rule_text(name, name, None if element == TEMPLATE_ELEMENT else element.name)
    texts = [text, text.replace(*ALSO_WRITTEN[name])] if name in ALSO_WRITTEN else [text]
    return tuple(parse(t) for t in texts)


def _changes_context(f: Function) -> bool:
    """Does the contract take or give an execution context, or speak of a phase in which no function of a program runs?"""
    for c in f.contract:
        for e in (e for i in c.items for e in subexpressions(i.body)):
            name = e.name if isinstance(e, Var) else e.func if isinstance(e, Call) else ""
            if name in (CONTEXTS if c.kind in ("consumes", "produces") else PHASES):
                return True
    return False


def _wrong(f: Function, wanted: list[str], parse: ParseFunction) -> InputError:
    """The error for a contract that is not the rule, at the first clause that is not part of it."""
    if len(wanted) > 1:
        message = f"`{f.name}` takes or gives an execution context in another way than a transition of a kernel does"
        return input_error("OG119", message, f.loc, help=f"the transitions are {', '.join(TRANSITIONS)}")
    differences = _differences(f, _rules(wanted[0], element_type(f), parse)[0])
    item = next((i for c in f.contract for i in c.items if i in differences), None)
    what = "this is not part of the rule" if item is not None else "this is not the whole rule"
    text = re.sub(r"\s+", " ", rule_text(wanted[0], wanted[0]))
    return input_error("OG119", f"{what} of `{f.name}`", item.loc if item else f.loc, help=f"the rule is: {text}")


def _differences(f: Function, rule: Function) -> list[Item | None]:
    """The items of f that the rule does not have (None for one that f does not have), by the best naming of its variables."""
    if [p.type for p in f.params] != [p.type for p in rule.params] or f.result != rule.result:
        return [None]
    wanted = Counter(key for _, key in _items(rule, {p.name: f"${n}" for n, p in enumerate(rule.params)}))
    best: list[Item | None] = [None]
    found = False
    for names in _namings(f, rule):
        items = list(_items(f, names))
        left, missing = Counter(wanted), list[Item | None]()
        for item, key in items:
            if left[key]:
                left[key] -= 1
            else:
                missing.append(item)
        missing += [None] * sum(left.values())
        if not found or len(missing) < len(best):
            best, found = missing, True
    return best


def _namings(f: Function, rule: Function) -> Iterator[dict[str, str]]:
    """The names of the rule for those of f: parameters by position, logical variables in every order that fits their types."""
    parameters = {p.name: f"${n}" for n, p in enumerate(f.params)}
    own, theirs = logical_variables(f.contract), logical_variables(rule.contract)
    if len(own) > len(theirs) + 2:  # it states another rule, and in very many orders
        yield parameters
        return
    if len(own) > len(theirs):
        theirs |= {f"?{n}": VOID for n in range(len(own) - len(theirs))}
    for order in permutations(theirs, len(own)):
        fits = all(theirs[y] in (t, VOID) for t, y in zip(own.values(), order))
        if fits:
            yield {**parameters, **dict(zip(own, order))}


def _items(f: Function, names: dict[str, str]) -> Iterator[tuple[Item, tuple[str, str]]]:
    """The items of a contract, each with its kind and canonical text. A context is read as it is preserved."""
    for c in f.contract:
        for item in c.items:
            kind = "preserves" if c.kind == "reads" and _is_context(item.body) else c.kind
            if isinstance(item.body, TypeOf):
                yield item, (kind, f"{names.get(item.name or '', item.name)}: {_type_text(item.body.of)}")
            else:
                yield item, (kind, print_expr(_canonical(item.body, names, 0)))


def _is_context(e: Expr) -> bool:
    name = e.name if isinstance(e, Var) else e.func if isinstance(e, Call) else ""
    return name in CONTEXTS | {"KernelParams", "SMemAllowance"}


def _type_text(t: Type) -> str:
    match t:
        case FunType(args, result):
            return f"{', '.join(_type_text(a) for a in args)} -> {_type_text(result)}"
        case _:
            return str(t)


def _canonical(e: Expr, names: dict[str, str], depth: int) -> Expr:
    """The formula with the rule's names, bound variables by their depth, and one spelling of arrows and equality."""
    match e:
        case Var(name):
            return Var(names.get(name, name))
        case Call(func, args):
            return Call(names.get(func, func), tuple(_canonical(a, names, depth) for a in args))
        case Group(index, range_, body, desync):
            inner = {**names, index: f"#{depth}"}
            return Group(f"#{depth}", _canonical(range_, names, depth), _canonical(body, inner, depth + 1), desync)
        case PointsTo(pointer, _, target, space):
            pointer, target = (_canonical(x, names, depth) for x in (pointer, target))
            return PointsTo(pointer, "~>", target, space)
        case Binary("=" | "=." | "==.", left, right):
            return _canonical(Binary("==", left, right), names, depth)
        case SizeOf() | TypeOf():
            return e
        case _:
            return map_children(e, lambda x: _canonical(x, names, depth))
