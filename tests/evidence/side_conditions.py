"""Every side condition of the kernel's rules and laws, and the kernel without one of them.

A side condition of a rule is a statement that only checks something (`c.require(…)`, `known(…)`), an `if …: raise Rejected`,
an early `return False` or `return None`, one part of such a test without which it refuses less, one operand of any other
conjunction, one conjunct of a goal, the exactness of a pattern or `zip`, and what is asked of a value that is used (that the next
instruction is a load, that a family is held in full). Of the laws of the normaliser and of the constructors of terms (LAWS) it is
also the test or the guard under which a law is applied at all, the exception that returns before it, and what selects things in a
comprehension.
Sites are named by the rule and the text of the condition, not by lines.
"""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

SOURCE = Path(__file__).parents[2] / "src" / "optigpu"
FILES = {
    p.stem: p for folder in ("kernel", "logic") for p in sorted((SOURCE / folder).rglob("*.py")) if p.stem != "__init__"
}
NORMALISER = ("facts", "equations", "bounds", "inequalities", "monomials")
LAWS = (*(p.stem for p in FILES.values() if p.parent.name == "terms"), *NORMALISER, "judge")
REFUSING = ("equality", "judge", *NORMALISER, "names")  # where `return None`, `return False` and `continue` say no


@dataclass(frozen=True)
class Site:
    module: str
    rule: str  # function, or Class.method
    kind: str
    text: str
    number: int  # which of several alike

    @property
    def name(self) -> str:
        suffix = f" #{self.number}" if self.number else ""
        return f"{self.module}.{self.rule} · {self.kind} · {self.text}{suffix}"


Removal = tuple[str, str, Callable[[], None]]  # kind, text, how it is done


def sites(module: str) -> list[Site]:
    tree = ast.parse(source(module))
    return [site for site, _ in _removals(module, tree)]


def without(site: Site) -> ast.Module:
    """The module without one side condition."""
    tree = ast.parse(source(site.module))
    for candidate, remove in _removals(site.module, tree):
        if candidate == site:
            remove()
            return ast.fix_missing_locations(tree)
    raise KeyError(site.name)


def source(module: str) -> str:
    return FILES[module].read_text(encoding="utf-8")


def imported(module: str) -> Any:
    return importlib.import_module(".".join(["optigpu", *FILES[module].relative_to(SOURCE).with_suffix("").parts]))


def _removals(module: str, tree: ast.Module) -> Iterator[tuple[Site, Callable[[], None]]]:
    """Every condition with how to remove it. Nothing is removed while they are listed."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for rule, function in _functions(tree):
        for kind, text, remove in _in_function(function, module in REFUSING, module in LAWS):
            key = (rule, kind, text)
            yield Site(module, *key, seen[key]), remove
            seen[key] += 1


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{f.name}", f) for f in node.body if isinstance(f, ast.FunctionDef))


def _in_function(function: ast.FunctionDef, returns: bool, laws: bool) -> Iterator[Removal]:
    tests = set[ast.AST]()  # in tests that refuse: there a conjunct more refuses less
    for node in ast.walk(function):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                for i, statement in enumerate(body):
                    yield from _statement(body, i, statement, returns)
                    if isinstance(statement, ast.If) and _refuses(statement.body, returns):
                        yield from _less("refusal", statement, "test", None, statement.test)
                        tests |= set(ast.walk(statement.test))
                    elif isinstance(statement, ast.If) and laws:
                        yield _put("law", f"if {ast.unparse(statement.test)}", statement, "test", None, TRUE)
                        if isinstance(statement.body[-1], ast.Return):  # what follows is not for what returns here
                            yield _put("exception", f"if {ast.unparse(statement.test)}", statement, "test", None, FALSE)
        match node:
            case ast.Call():
                yield from _call(node)
            case ast.Match():
                yield from _match(node)
            case ast.match_case(guard=ast.expr() as guard) if laws:
                yield _put("guard", ast.unparse(guard), node, "guard", None, TRUE)
            case ast.comprehension() if laws:
                for i, test in enumerate(node.ifs):
                    yield _put("selection", ast.unparse(test), node, "ifs", i, TRUE)
            case ast.IfExp() if _is_refusal(node.orelse):
                yield _put("choice", f"{ast.unparse(node.test)} in {ast.unparse(node)}", node, "test", None, TRUE)
            case ast.BoolOp(op=ast.And()) | ast.Compare() if node not in tests:
                yield from _operands("conjunct", node)


TRUE, FALSE = ast.Constant(True), ast.Constant(False)


def _put(kind: str, text: str, node: ast.AST, field: str, i: int | None, new: ast.AST | None) -> Removal:
    """With another thing (or none) in a field of the node, or in one place of it."""

    def remove() -> None:
        if i is None:
            setattr(node, field, new)
        elif new is None:
            del getattr(node, field)[i]
        else:
            getattr(node, field)[i] = new

    return kind, text, remove


def _statement(body: list[ast.stmt], i: int, s: ast.stmt, returns: bool) -> Iterator[Removal]:
    def put(new: ast.stmt) -> Callable[[], None]:
        return lambda: body.__setitem__(i, new)

    if isinstance(s, ast.Expr) and _is_check(s.value):
        yield "check", ast.unparse(s), put(ast.Pass())
    elif isinstance(s, ast.Return) and isinstance(s.value, ast.Call) and _asks_judge(s.value):
        yield "check", ast.unparse(s), put(ast.Return(TRUE))
    elif isinstance(s, ast.If) and _refuses(s.body, returns):
        yield "refusal", f"if {ast.unparse(s.test)}: {_shown(s.body)}", put(_rest(s))
    elif isinstance(s, ast.Assert):
        yield "check", ast.unparse(s), put(ast.Pass())


def _rest(s: ast.If) -> ast.stmt:
    """What is left of an `if` whose first branch refuses: its other branch."""
    if not s.orelse:
        return ast.Pass()
    return s.orelse[0] if len(s.orelse) == 1 else ast.If(TRUE, s.orelse, [])


def _less(kind: str, parent: ast.AST, field: str, i: int | None, test: ast.expr) -> Iterator[Removal]:
    """Tests that are true less often: one alternative fewer, or (inside a negation) one condition taken for granted."""
    match test:
        case ast.BoolOp(op=ast.Or()):
            yield from _operands(kind, test)
            for n, operand in enumerate(test.values):
                yield from _less(kind, test, "values", n, operand)
        case ast.BoolOp(op=ast.And()):
            for n, operand in enumerate(test.values):
                yield from _less(kind, test, "values", n, operand)
        case ast.UnaryOp(op=ast.Not()):
            for inner in ast.walk(test.operand):
                if isinstance(inner, ast.Compare) or (isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.And)):
                    yield from _operands(kind, inner)


def _operands(kind: str, test: ast.BoolOp | ast.Compare) -> Iterator[Removal]:
    """The test without one of its operands; of `a <= b < c`, without one of its comparisons."""
    text = ast.unparse(test)
    if isinstance(test, ast.BoolOp):
        neutral = TRUE if isinstance(test.op, ast.And) else FALSE
        for i, operand in enumerate(test.values):
            yield _put(f"{kind}, one operand", f"{ast.unparse(operand)} in {text}", test, "values", i, neutral)
    elif len(test.ops) == 2:
        left, (middle, right), (first, second) = test.left, test.comparators, test.ops
        for kept in (ast.Compare(middle, [second], [right]), ast.Compare(left, [first], [middle])):

            def only(kept: ast.Compare = kept) -> None:
                test.left, test.ops, test.comparators = kept.left, kept.ops, kept.comparators

            yield f"{kind}, one operand", f"only {ast.unparse(kept)} of {text}", only


def _call(node: ast.Call) -> Iterator[Removal]:
    """`k.and_(a, b)`, also of a generator; `zip(…, strict=True)`; what is asked of something that is used."""
    name, text = ast.unparse(node.func), ast.unparse(node)
    if name in ("k.and_", "and_", "CONSTRUCTORS['and']"):
        for i, a in enumerate(node.args):
            yield _put("conjunct", f"{ast.unparse(a)} in {text}", node, "args", i, None)
    for keyword in node.keywords:
        if keyword.arg == "strict" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            yield _put("strict zip", text, keyword, "value", None, FALSE)
    if name in UNCHECKED:  # the instruction, whatever it is; the block, wherever it is
        yield _put("asked", text, node, "func", None, ast.parse(f"({UNCHECKED[name]})", mode="eval").body)
    if name in ("family_of", "_accessed") and ast.unparse(node.args[-1]) == "FULL":
        yield _put("asked", text, node, "args", len(node.args) - 1, ast.Constant("read"))


def _match(node: ast.Match) -> Iterator[Removal]:
    """A case that is exact about several things at once, before one that refuses: each constant widened."""
    last = node.cases[-1]
    if not (isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and _refuses(last.body)):
        return
    for case in node.cases[:-1]:
        for sequence in ast.walk(case.pattern):
            for i, p in enumerate(sequence.patterns if isinstance(sequence, ast.MatchSequence) else ()):
                if isinstance(p, ast.MatchValue | ast.MatchSingleton):
                    text = f"{ast.unparse(p)} (place {i}) in {ast.unparse(sequence)}"
                    yield _put("exact pattern", text, sequence, "patterns", i, ast.MatchAs())


UNCHECKED = {"next_instruction": "lambda s, _: s.next", "ended": "lambda s, _: s.block.opened_by"}
EFFECTS = ("__init__", "_judge", "_ledger", "_kernel", "_seal_kernel")  # called for something else than a refusal


def _is_check(e: ast.expr) -> bool:
    """A call for its refusal alone: of a side condition or of the ledger, whose result is not used."""
    match e:
        case ast.Call(func=ast.Name(name)):
            return name not in EFFECTS
        case ast.Call(func=ast.Attribute(owner, name)):
            return {"self": name not in EFFECTS, "c": True, "c.ledger": name == "used"}.get(ast.unparse(owner), False)
        case _:
            return False


def _asks_judge(e: ast.expr) -> bool:
    return any(
        isinstance(x, ast.Call)
        and isinstance(x.func, ast.Attribute)
        and x.func.attr in ("proves", "holds", "valid")
        and ast.unparse(x.func.value) in ("self", "self.judge", "self.solver", "Equality(self.judge)")
        for x in ast.walk(e)
    )


def _is_refusal(e: ast.expr | None) -> bool:
    return e is None or (isinstance(e, ast.Constant) and e.value in (None, False)) or ast.unparse(e) == "FALSE"


def _refuses(body: list[ast.stmt], returns: bool = False) -> bool:
    match body:
        case [*_, ast.Raise()]:
            return True
        case [ast.Return(value=value)]:
            return returns and _is_refusal(value)
        case [ast.Continue()]:
            return returns
        case _:
            return False


def _shown(body: list[ast.stmt]) -> str:
    text = ast.unparse(body[-1])
    return text if len(text) < 60 else text[:57] + "…"


# The kernel without a side condition ----------------------------------------------------------------------------------------


def install(site: Site) -> None:
    """From now on the kernel lacks the condition. The function stays the same object, so whoever has it sees the change."""
    _replace(site.module, site.rule, without(site))


REACHED = set[str]()  # functions that were called since `note_calls`


def note_calls() -> None:
    """From now on the functions of the kernel say that they are called."""
    for module in MODULES:
        tree = ast.parse(source(module))
        rules = list(_functions(tree))
        for rule, function in rules:
            note = f"__import__('sys').modules[{__name__!r}].REACHED.add({f'{module}.{rule}'!r})"
            function.body[:0] = ast.parse(note).body
        for rule, _ in rules:
            _replace(module, rule, ast.fix_missing_locations(tree))


def _replace(module: str, rule: str, tree: ast.Module) -> None:
    value: Any = imported(module)
    for name in rule.split("."):
        value = value.__dict__[name]
    function = value.fget if isinstance(value, property) else getattr(value, "__wrapped__", value)
    for remembering in (x for m in MODULES for x in vars(imported(m)).values()):
        if hasattr(remembering, "cache_clear"):
            remembering.cache_clear()
    function.__code__ = next(c for c in _codes(compile(tree, str(FILES[module]), "exec")) if c.co_qualname == rule)
    if (module, rule) == ("sealed", "_sealing"):  # what it made when it was imported is made again
        sealed: Any = importlib.import_module("optigpu.kernel.sealed")
        sealed._judge, sealed._ledger, sealed._kernel = sealed._sealing()


def _codes(code: CodeType) -> Iterator[CodeType]:
    for c in code.co_consts:
        if isinstance(c, CodeType):
            yield c
            yield from _codes(c)


MODULES = sorted(FILES)


def all_sites() -> list[Site]:
    return [s for module in MODULES for s in sites(module)]
