"""Every side condition of the kernel's rules, and the kernel without one of them.

A side condition is a statement that only checks something (`self._require(…)` and its like), an `if …: raise Rejected`, an early
`return False` or `return None`, one operand of such a test, one conjunct of a goal, or the exactness of a pattern or `zip`.
Sites are named by the rule and the text of the condition, not by lines.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

KERNEL = Path(__file__).parents[2] / "src" / "optigpu" / "kernel"
TERMS = (
    "__init__",
    "code",
    "terms",
    "facts",
)  # no rules: programs, terms and the normaliser, which have tests of their own
REFUSING_RETURNS = ("values", "judge", "facts")  # where `return None` and `return False` say no


@dataclass(frozen=True)
class Site:
    module: str
    rule: str  # Class.method
    kind: str
    text: str
    number: int  # which of several alike

    @property
    def name(self) -> str:
        again = f" #{self.number}" if self.number else ""
        return f"{self.module}.{self.rule} · {self.kind} · {self.text}{again}"


Removal = tuple[str, str, Callable[[], None], Callable[[], None]]  # kind, text, do, undo


def sites(module: str) -> list[Site]:
    tree = ast.parse(source(module))
    seen: Counter[tuple[str, str, str]] = Counter()
    out = []
    for rule, kind, text, _, _ in _removals(module, tree):
        key = (rule, kind, text)
        out.append(Site(module, rule, kind, text, seen[key]))
        seen[key] += 1
    return out


def without(site: Site) -> ast.Module:
    """The module without one side condition."""
    tree = ast.parse(source(site.module))
    seen: Counter[tuple[str, str, str]] = Counter()
    for rule, kind, text, do, _ in _removals(site.module, tree):
        key = (rule, kind, text)
        if (rule, kind, text, seen[key]) == (site.rule, site.kind, site.text, site.number):
            do()
            return ast.fix_missing_locations(tree)
        seen[key] += 1
    raise KeyError(site.name)


def source(module: str) -> str:
    return (KERNEL / f"{module}.py").read_text(encoding="utf-8")


def _removals(module: str, tree: ast.Module) -> Iterator[tuple[str, str, str, Callable[[], None], Callable[[], None]]]:
    """Every condition with how to remove it. Nothing is removed while they are listed."""
    for rule, function in _functions(tree):
        for kind, text, do, undo in _in_function(function, module in REFUSING_RETURNS):
            yield rule, kind, text, do, undo


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{f.name}", f) for f in node.body if isinstance(f, ast.FunctionDef))


def _in_function(function: ast.FunctionDef, returns: bool) -> Iterator[Removal]:
    for node in ast.walk(function):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                for i, statement in enumerate(body):
                    yield from _statement(body, i, statement, returns)
        if isinstance(node, ast.Call):
            yield from _call(node)
        if isinstance(node, ast.Match):
            yield from _match(node)
        if (
            returns
            and isinstance(node, ast.Return)
            and isinstance(node.value, ast.IfExp)
            and _is_refusal(node.value.orelse)
        ):
            yield _operand(node, "value", "choice", node.value.test, node.value.body)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and any(map(_asks_judge, node.values)):
            yield from _operands("conjunct", node)


def _statement(body: list[ast.stmt], i: int, s: ast.stmt, returns: bool) -> Iterator[Removal]:
    def put(new: ast.stmt) -> tuple[Callable[[], None], Callable[[], None]]:
        return (lambda: body.__setitem__(i, new)), (lambda: body.__setitem__(i, s))

    if isinstance(s, ast.Expr) and _is_check(s.value):
        yield "check", ast.unparse(s), *put(ast.Pass())
    elif isinstance(s, ast.Return) and s.value is not None and _asks_judge(s.value) and isinstance(s.value, ast.Call):
        yield "check", ast.unparse(s), *put(ast.Return(ast.Constant(True)))
    elif isinstance(s, ast.If) and _refuses(s.body, returns):
        yield "refusal", f"if {ast.unparse(s.test)}: {_shown(s.body)}", *put(_rest(s))
        if isinstance(s.test, ast.BoolOp) and isinstance(s.test.op, ast.Or):
            yield from _operands("refusal", s.test)
        elif isinstance(s.test, ast.BoolOp):
            for operand in s.test.values:
                if isinstance(operand, ast.BoolOp) and isinstance(operand.op, ast.Or):
                    yield from _operands("refusal", operand)


def _rest(s: ast.If) -> ast.stmt:
    """What is left of an `if` whose first branch refuses: its other branch."""
    if not s.orelse:
        return ast.Pass()
    return s.orelse[0] if len(s.orelse) == 1 else ast.If(ast.Constant(True), s.orelse, [])


def _operands(kind: str, test: ast.BoolOp) -> Iterator[Removal]:
    """The test without one of its operands."""
    values = test.values
    for i, operand in enumerate(list(values)):
        neutral = ast.Constant(isinstance(test.op, ast.And))
        yield (
            f"{kind}, one operand",
            f"{ast.unparse(operand)} in {ast.unparse(test)}",
            lambda i=i, neutral=neutral: values.__setitem__(i, neutral),
            lambda i=i, operand=operand: values.__setitem__(i, operand),
        )


def _operand(node: ast.AST, field: str, kind: str, test: ast.expr, new: ast.expr) -> Removal:
    old = getattr(node, field)
    return kind, ast.unparse(test), lambda: setattr(node, field, new), lambda: setattr(node, field, old)


def _call(node: ast.Call) -> Iterator[Removal]:
    """`k.and_(a, b)`, also of a generator; `same(xs, ys)` in a goal; `zip(…, strict=True)`."""
    name = ast.unparse(node.func)
    if name == "k.and_":
        args = node.args
        for i, a in enumerate(list(args)):
            yield (
                "conjunct",
                f"{ast.unparse(a)} in {ast.unparse(node)}",
                lambda i=i: args.__delitem__(i),
                lambda i=i, a=a: args.insert(i, a),
            )
    for keyword in node.keywords:
        if keyword.arg == "strict" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            yield _operand(keyword, "value", "strict zip", node, ast.Constant(False))


def _match(node: ast.Match) -> Iterator[Removal]:
    """A case that is exact about several things at once, before one that refuses: each constant widened."""
    last = node.cases[-1]
    if not (isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and _refuses(last.body)):
        return
    for case in node.cases[:-1]:
        for sequence in ast.walk(case.pattern):
            if isinstance(sequence, ast.MatchSequence):
                patterns = sequence.patterns
                for i, p in enumerate(list(patterns)):
                    if isinstance(p, ast.MatchValue | ast.MatchSingleton):
                        yield (
                            "exact pattern",
                            f"{ast.unparse(p)} (place {i}) in {ast.unparse(sequence)}",
                            lambda patterns=patterns, i=i: patterns.__setitem__(i, ast.MatchAs()),
                            lambda patterns=patterns, i=i, p=p: patterns.__setitem__(i, p),
                        )


def _is_check(e: ast.expr) -> bool:
    """A call for its refusal alone: a method of the kernel or of the ledger whose result is not used."""
    if not isinstance(e, ast.Call) or not isinstance(e.func, ast.Attribute):
        return False
    owner = ast.unparse(e.func.value)
    return (owner == "self" and e.func.attr.startswith("_") and e.func.attr != "__init__") or (
        owner == "self.ledger" and e.func.attr == "used"
    )


def _asks_judge(e: ast.expr) -> bool:
    return any(
        isinstance(x, ast.Call)
        and isinstance(x.func, ast.Attribute)
        and x.func.attr in ("proves", "holds", "valid")
        and ast.unparse(x.func.value) in ("self", "self.judge", "self.solver", "self._equality")
        for x in ast.walk(e)
    )


def _is_refusal(e: ast.expr | None) -> bool:
    return e is None or (isinstance(e, ast.Constant) and e.value in (None, False))


def _refuses(body: list[ast.stmt], returns: bool = False) -> bool:
    s = body[-1]
    return isinstance(s, ast.Raise) or (
        returns and isinstance(s, ast.Return) and _is_refusal(s.value) and len(body) == 1
    )


def _shown(body: list[ast.stmt]) -> str:
    text = ast.unparse(body[-1])
    return text if len(text) < 60 else text[:57] + "…"


# The kernel without a side condition ----------------------------------------------------------------------------------------


class Without(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the kernel's modules as they are, but for one."""

    def __init__(self, site: Site) -> None:
        self.name, self.tree = f"optigpu.kernel.{site.module}", without(site)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(KERNEL / f"{name.rpartition('.')[2]}.py"))

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(module.__spec__ and module.__spec__.origin), "exec"), module.__dict__)


def install(site: Site) -> None:
    """From now on the kernel lacks the condition. Nothing of ours may have been imported before."""
    early = [n for n in sys.modules if n == "optigpu" or n.startswith("optigpu.")]
    if early:
        raise RuntimeError(f"already imported: {', '.join(early)}")
    sys.meta_path.insert(0, Without(site))


def all_sites() -> list[Site]:
    modules = sorted(p.stem for p in KERNEL.glob("*.py"))
    return [s for m in modules if m not in TERMS for s in sites(m)]
