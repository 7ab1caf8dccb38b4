"""Builds declarations of C from the syntax tree: types, declarators and initial values of variables, arrays and pointers."""

from __future__ import annotations

from lark import Token

from optigpu.frontend.c_expressions import CExpressionBuilder
from optigpu.frontend.expression_builder import Child
from optigpu.frontend.number_literals import scalar_type
from optigpu.frontend.raw_statements import Declarator, DeclaredType, InitDeclarator, InitializerList
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import BUILTIN_NAMES
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Array, Bool, Call, Expr, Index, Int, Type, Var
from optigpu.syntax.free_names import expr_names, fresh_name
from optigpu.syntax.program import Decl, For, LoopRange, Stmt, Store
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import BOOL, INT64, Pointer, Space
from optigpu.syntax.walk import subexpressions

LOCAL_SPACES = {"SHARED": Space.SMEM, "FRAGMENT": Space.FRAG}


class DeclarationBuilder(CExpressionBuilder):
    """Methods named after rules of c.lark build what those rules read."""

    def declared_type(self, c: list[Child]) -> DeclaredType:
        scalar = next(t for t in c if t.type == "TYPE")
        return DeclaredType(scalar_type(scalar), any(t.type == "CONST" for t in c), self.span(c))

    def dimension(self, c: list[Child]) -> Expr | None:
        return self.as_expr(c[1]) if len(c) == 3 else None

    def declarator(self, c: list[Child]) -> Declarator:
        name = next(t for t in c if isinstance(t, Token) and t.type == "NAME")
        tokens = [t for t in c if isinstance(t, Token)]
        pointer = any(t.type == "STAR" for t in tokens)
        dims = tuple(d for d in c if not isinstance(d, Token))
        return Declarator(
            str(name), pointer, any(t.type == "CONST" for t in tokens), tokens[0] == "(", dims, self.at(name)
        )  # fmt: skip

    def type_of(self, base: DeclaredType, d: Declarator, *, local: bool) -> Type:
        """The type of a declared name. The first size of an array may be left out, except for a local array."""
        if d.grouped:
            return Array(base.scalar, (None, *self.given_sizes(d.dims, d.loc)))
        if d.pointer:
            if d.dims:
                raise input_error("OG009", "arrays of pointers are not in the language", d.loc)
            return Pointer(base.scalar)
        if d.dims:
            first = self.given_sizes(d.dims[:1], d.loc) if local else d.dims[:1]
            return Array(base.scalar, (*first, *self.given_sizes(d.dims[1:], d.loc)))
        return base.scalar

    def given_sizes(self, dims: tuple[Expr | None, ...], loc: Loc) -> tuple[Expr, ...]:
        out = []
        for d in dims:
            if d is None:
                raise input_error("OG009", "this dimension needs a size", loc, help="float a[H][W]")
            out.append(d)
        return tuple(out)

    def initial_list(self, c: list[Child]) -> InitializerList:
        return InitializerList(tuple(self.as_expr(x) for x in c if not isinstance(x, Token)), self.span(c))

    def initialised(self, c: list[Child]) -> InitDeclarator:
        if len(c) == 1:
            return InitDeclarator(c[0], None, c[0].loc)
        if c[1] != "=":
            raise input_error("OG001", f"expected `=` here, not `{c[1]}`", self.at(c[1]))
        init = c[2] if isinstance(c[2], InitializerList) else self.as_expr(c[2])
        return InitDeclarator(c[0], init, self.span(c))

    def declaration(self, c: list[Child]) -> list[Stmt]:
        word = c[0].type if isinstance(c[0], Token) else ""
        base: DeclaredType = c[1] if word else c[0]
        out: list[Stmt] = []
        for entry in c:
            if isinstance(entry, InitDeclarator):
                out.extend(self.declare_name(base, entry, LOCAL_SPACES.get(word)))
        return out

    def declare_name(self, base: DeclaredType, entry: InitDeclarator, space: Space | None) -> list[Stmt]:
        d = entry.declarator
        type_ = self.type_of(base, d, local=True)
        statement_id = StatementId(base.loc.to(entry.loc))
        if isinstance(type_, Array) and not d.grouped:
            if space is not None:
                type_ = replace(type_, space=space)
            decl = Decl(d.name, type_, None, base.const, id=statement_id)
            if entry.init is None:
                return [decl]
            if space is not None or not isinstance(entry.init, InitializerList):
                raise input_error(
                    "OG009", "this array cannot be initialised here", entry.init.loc, help="assign its elements"
                )
            return [decl, *self.element_stores(d.name, type_, entry.init)]
        if space is not None:
            word, example = (
                ("__shared__", "float s[256];") if space is Space.SMEM else ("__fragment__", "float c[64][128];")
            )
            message = f"a `{word}` declaration is an array with its sizes"
            raise input_error("OG009", message, d.loc, help=f"{word} {example}")
        if isinstance(entry.init, InitializerList):
            raise input_error("OG009", "only arrays take an initialiser list", entry.init.loc)
        const = d.const if d.pointer else base.const
        decl = Decl(d.name, type_, entry.init, const, id=statement_id)
        if isinstance(entry.init, Alloc) and entry.init.loc in self.zeroed:
            return [decl, zero_loops(d.name, entry.init)]
        return [decl]

    def element_stores(self, name: str, array: Array, init: InitializerList) -> list[Stmt]:
        """`float t[3] = {1, 2};` as three stores: elements without a value are zero."""
        sizes = [d.value if isinstance(d, Int) else None for d in array.dims]
        if len(sizes) != 1 or sizes[0] is None or not 0 < sizes[0] <= 256:
            raise input_error("OG009", "an initialiser list needs a one-dimensional array of constant size", init.loc)
        if len(init.values) > sizes[0]:
            raise input_error("OG009", f"{len(init.values)} values for {sizes[0]} elements", init.loc)
        for x in (x for v in init.values for x in subexpressions(v)):
            if x == Var(name):
                message = f"`{name}` in its own initial value is the new `{name}` in C, which has no value yet"
                raise input_error("OG101", message, x.loc, help="assign its elements")
            if isinstance(x, Call) and x.func not in BUILTIN_NAMES:
                message = (
                    "C leaves open in which order the values of a list are computed: they have no calls of functions"
                )
                raise input_error("OG116", message, x.loc, help="assign the result to a variable first")
        zero: Expr = Int(0, loc=init.loc)
        values = [*init.values, *[zero] * (sizes[0] - len(init.values))]
        statement_id = StatementId(init.loc)
        return [
            Store(Index(Var(name, loc=init.loc), (Int(i, loc=init.loc),), loc=init.loc), v, id=statement_id)
            for i, v in enumerate(values)
        ]


def zero_loops(name: str, array: Alloc) -> Stmt:
    """`CALLOC2(T, n, m)` is `MALLOC2(T, n, m)` and these loops, which store zero in each element."""
    loc = array.loc
    taken = {name}.union(*(expr_names(d) for d in array.dims))
    indices: list[str] = []
    for _ in array.dims:
        indices.append(fresh_name("i", taken))
        taken.add(indices[-1])
    zero: Expr = Bool(False, loc=loc) if array.elem == BOOL else Int(0, loc=loc)
    target = Index(Var(name, loc=loc), tuple(Var(i, loc=loc) for i in indices), loc=loc)
    stmt: Stmt = Store(target, zero, id=StatementId(loc))
    for i, d in zip(reversed(indices), reversed(array.dims)):
        range_ = LoopRange(Int(0, loc=loc), "<", d, "+", Int(1, loc=loc))
        stmt = For(i, range_, (stmt,), index_type=INT64, id=StatementId(loc))
    return stmt
