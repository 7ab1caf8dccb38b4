"""Translates statements of Python to those of programs: assignments, loops, branches and calls."""

from __future__ import annotations

import ast

from optigpu.frontend.early_exits import desugar_jumps, reject_jumps
from optigpu.frontend.implicit_conversions import describe_type, promoted
from optigpu.frontend.python.python_annotations import AnnotationTranslator
from optigpu.frontend.python.python_arrays import ArrayTranslator
from optigpu.frontend.python.python_loops import header_loc
from optigpu.frontend.python.python_refusals import refused
from optigpu.frontend.python.python_scopes import LocalName, LocalRole
from optigpu.frontend.python.python_values import Value, computed_type
from optigpu.frontend.python.python_words import CLAUSE_WORDS
from optigpu.frontend.raw_statements import Jump, RawStatement
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Binary, Call, Cast, Expr, Index, Var, is_bool
from optigpu.syntax.float_formats import FORMATS, is_stored_float
from optigpu.syntax.program import CallStmt, Decl, For, If, Return, Stmt, Store
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import BOOL, Scalar

RawBody = tuple[RawStatement, ...]


class StatementTranslator(ArrayTranslator, AnnotationTranslator):
    """Translates the statements of one function. `loop_depth` is how many blocks are around the innermost loop."""

    loop_depth = 0
    result: Scalar | None = None

    def function_body(self, body: list[ast.stmt]) -> tuple[Stmt, ...]:
        return self.finished(self.block(body), "return")

    def finished(self, raws: RawBody, jump: str) -> tuple[Stmt, ...]:
        """A body with early exits replaced by `else`."""
        out = desugar_jumps(raws, jump)
        for i, s in enumerate(out):
            reject_jumps(s, last_of_function=jump == "return" and i == len(out) - 1)
        return out

    def block(self, body: list[ast.stmt], index: dict[str, LocalName] | None = None) -> RawBody:
        """The statements of a block; arrays that it allocates are freed at its end."""
        self.scopes.open()
        for name, local in (index or {}).items():
            self.scopes.declare(name, local)
        out: list[RawStatement] = []
        for s in body:
            out += self.statement(s)
        if not (out and isinstance(out[-1], Jump | Return)):
            out += self.frees(body[-1], 1)
        names = self.scopes.close()
        fixed = {id(x.declaration) for x in names.values() if x.role is LocalRole.VARIABLE and not x.assigned}
        return tuple(replace(s, const=True) if isinstance(s, Decl) and id(s.id) in fixed else s for s in out)

    def frees(self, at: ast.AST, depth: int) -> list[RawStatement]:
        """`free` for the arrays of the innermost blocks, the last one first."""
        loc = self.loc(at)
        blocks = self.scopes.blocks[len(self.scopes.blocks) - depth :]
        arrays = [name for block in reversed(blocks) for name in reversed(block) if block[name].heap]
        return [CallStmt(Call("free", (Var(n, loc=loc),), loc=loc), id=StatementId(loc)) for n in arrays]

    def statement(self, s: ast.stmt) -> list[RawStatement]:
        match s:
            case ast.Expr(value):
                return self.expression_statement(value, s)
            case ast.Assign(targets, value):
                if len(targets) != 1:
                    message = "an assignment has one target"
                    raise input_error("OG016", message, self.loc(targets[1]), help="one statement for each")
                return self.assignment(targets[0], value, s)
            case ast.AnnAssign():
                return self.annotated_assignment(s)
            case ast.AugAssign():
                return [self.augmented(s)]
            case ast.For():
                return [self.loop(s)]
            case ast.If(test, body, orelse):
                loc = header_loc(self.loc(s), self.loc(test))
                condition = self.condition(test)
                return [If(condition, self.block(body), self.block(orelse) if orelse else (), id=StatementId(loc))]
            case ast.Pass():
                return []
            case ast.Continue():
                return [*self.frees(s, len(self.scopes.blocks) - self.loop_depth), Jump("continue", self.loc(s))]
            case ast.Return():
                return self.returned(s)
            case _:
                raise refused(s, self.loc(s))

    # Expressions as statements

    def expression_statement(self, node: ast.expr, s: ast.stmt) -> list[RawStatement]:
        if isinstance(node, ast.Constant) and (isinstance(node.value, str) or node.value is ...):
            return []  # a comment
        found = self.annotation(node)
        if found is not None:
            if found[0] in CLAUSE_WORDS or found[0] == "admitted":
                message = f"`og.{found[0]}` must stand at the start of the body that it is about"
                raise input_error("OG013", message, self.loc(node))
            return [self.proof_step(*found)]
        if isinstance(node, ast.Call) and (program := self.program_of(node.func)) is not None:
            if program.signature.returned is not None:
                message = f"`{program.signature.name}` returns an array"
                raise input_error("OG010", message, self.loc(node), help=f"t = {ast.unparse(node)}")
            return [CallStmt(self.call_of(program, node), id=StatementId(self.loc(s)))]
        self.expr(node)
        message = "this statement has no effect"
        raise input_error("OG010", message, self.loc(node), help="assign the value, or remove it")

    # Assignments

    def assignment(self, target: ast.expr, value: ast.expr, s: ast.stmt) -> list[RawStatement]:
        match target:
            case ast.Name(name):
                array = self.array_assignment(name, target, value, s)
                return array if array is not None else [self.variable_assignment(name, target, self.expr(value), s)]
            case ast.Subscript():
                element = self.target(target)
                assert isinstance(element.expr, Index)
                stored = self.stored(self.expr(value), element, value)
                return [Store(element.expr, stored, id=StatementId(self.loc(s)))]
            case ast.Tuple() | ast.List():
                message = "an assignment has one target"
                raise input_error("OG016", message, self.loc(target), help="one statement for each")
            case _:
                raise refused(target, self.loc(target))

    def target(self, node: ast.Subscript) -> Value:
        element = self.element(node)
        if not isinstance(element.type, Scalar):
            message = "a whole row is assigned element by element"
            raise input_error("OG016", message, self.loc(node), help="a loop over the row")
        return element

    def stored(self, value: Value, element: Value, node: ast.expr) -> Expr:
        """A value for an element of an array, which has the type of the array, as in NumPy."""
        t = element.scalar
        if not isinstance(value.type, Scalar):
            raise input_error("OG102", f"an element is a number, not {describe_type(value.type)}", self.loc(node))
        if is_bool(value.type) != (t == BOOL):
            raise input_error("OG102", f"this is {describe_type(value.type)}, not `{t.name}`", self.loc(node))
        if value.is_real and element.is_integer:
            message = "NumPy would drop the fraction of this number"
            raise self.differs(message, node, "og.i32(…) says that this is meant")
        return self.settle(value, t).expr if value.weak else value.expr

    def variable_assignment(
        self, name: str, target: ast.Name, value: Value, s: ast.stmt, declared: Scalar | None = None
    ) -> Stmt:
        """The declaration of a variable, or an assignment to it."""
        local = self.scopes.find(name)
        if not isinstance(value.type, Scalar):
            message = f"`{name}` would be another name of an array, or of a row"
            raise input_error("OG016", message, self.loc(s), help="use the array itself")
        if local is None:
            return self.declared_variable(name, target, value, s, declared)
        if local.role is not LocalRole.VARIABLE:
            message = f"`{name}` is {local.role.value}, which a program does not assign"
            fix = f"another name: {name}2 = …"
            raise self.differs(message, target, fix, Label(local.loc, "this one"))
        assert isinstance(local.type, Scalar)
        local.assigned = True
        expr = self.same_type(name, value, local, target)
        return Store(Var(name, loc=self.loc(target)), expr, id=StatementId(self.loc(s)))

    def same_type(self, name: str, value: Value, local: LocalName, node: ast.AST) -> Expr:
        """A variable keeps its type. Integers are one type: a number that does not fit is an error of the proof."""
        have, want = value.type, local.type
        assert isinstance(want, Scalar)
        if value.weak:
            value = self.settle(value, want) if Value(value.expr, want).is_real else self.strong(value)
            have = value.type
        integers = value.is_integer and Value(value.expr, want).is_integer
        if have != want and not integers:
            message = f"`{name}` is {describe_type(want)}, and would become {describe_type(have)}"
            raise self.differs(message, node, _conversion(want), Label(local.loc, "its first value"))
        return value.expr

    def declared_variable(
        self, name: str, target: ast.Name, value: Value, s: ast.stmt, declared: Scalar | None
    ) -> Stmt:
        loc = self.loc(target)
        self.require_new_name(name, target)
        if name == self.returned_name:
            message = f"`{name}` is returned, so it is an array, and this is {describe_type(self.strong(value).type)}"
            raise input_error("OG102", message, loc, help=f"{name} = og.empty(…)")
        value = self.strong(value if declared is None else self.settle(value, declared))
        assert isinstance(value.type, Scalar)
        t = declared or (promoted(value.type) if value.is_integer else value.type)
        statement = StatementId(self.loc(s))
        constant = self.stores[name] == 1
        low, high = (value.least, value.high) if constant and value.is_integer else (None, None)
        self.scopes.declare(name, LocalName(LocalRole.VARIABLE, t, loc, low, high, declaration=statement))
        return Decl(name, t, value.expr, False, id=statement)

    def annotated_assignment(self, s: ast.AnnAssign) -> list[RawStatement]:
        """`x: og.i64 = 0`"""
        t = self.scalar_type(s.annotation)
        if t is None or not isinstance(s.target, ast.Name):
            message = "a variable is declared with a type of numbers"
            raise input_error("OG019", message, self.loc(s.annotation), help=f"{ast.unparse(s.target)}: og.f32 = …")
        name = s.target.id
        if is_stored_float(t):
            message = f"a variable is no `{t.name}`: numbers of that type are in arrays, and are read as `float`"
            fix = f"{name} = {_conversion(t)} for a number that is rounded"
            raise input_error("OG016", message, self.loc(s.annotation), help=fix)
        if s.value is None:
            message = f"in Python this gives `{name}` no value"
            raise self.differs(message, s, f"{name}: {ast.unparse(s.annotation)} = 0")
        if (known := self.scopes.find(name)) is not None:
            label = Label(known.loc, "first declared here")
            raise input_error("OG101", f"`{name}` is declared twice", self.loc(s), labels=(label,))
        value = self.expr(s.value)
        if value.is_real != Value(value.expr, t).is_real or is_bool(value.type) != (t == BOOL):
            message = f"`{name}` is declared as `{t.name}`, and this is {describe_type(self.strong(value).type)}"
            raise self.differs(message, s.value, _conversion(t))
        if value.is_real and not value.weak and value.type != t:
            message = f"in Python `{name}` is then {describe_type(value.type)}, whatever its annotation says"
            raise self.differs(message, s.value, _conversion(t))
        return [self.variable_assignment(name, s.target, value, s, t)]

    def augmented(self, s: ast.AugAssign) -> Stmt:
        """`x += e`"""
        value = self.number(s.value)
        if isinstance(s.target, ast.Name):
            old = self.name(s.target)
            local = self.scopes.find(s.target.id)
        else:
            if not isinstance(s.target, ast.Subscript):
                raise refused(s.target, self.loc(s.target))
            old, local = self.target(s.target), None
        if not isinstance(old.type, Scalar):
            raise input_error("OG102", f"this is {describe_type(old.type)}, not a number", self.loc(s.target))
        result = self.binary(type(s.op), old, value, s)
        if isinstance(s.target, ast.Name):
            name = s.target.id
            made = self.variable_assignment(name, s.target, result, s)
            assert isinstance(made, Store) and local is not None
        else:
            stored = self.stored(result, old, s.value)
            assert isinstance(old.expr, Index)
            made = Store(old.expr, stored, id=StatementId(self.loc(s)))
        match made.value:
            case Cast():
                return made
            case _ if (step := _step_of(made.value, made.target)) is not None:
                return replace(made, op=step[0], value=step[1])
            case _:
                return made

    # Loops and returns

    def loop(self, s: ast.For) -> For:
        if s.orelse:
            message = "`else` of a loop: it always runs, since no loop is left early"
            raise input_error("OG016", message, self.loc(s.orelse[0]), help="write it after the loop")
        if not isinstance(s.target, ast.Name):
            raise input_error("OG016", "a loop has one index", self.loc(s.target), help="for i in og.range(n):")
        name, loc = s.target.id, self.loc(s.target)
        counted = self.counted(s.iter)
        if (local := self.scopes.find(name)) is not None:
            message = f"`{name}` is {local.role.value}, which this loop would change"
            raise self.differs(message, s.target, "another name for the index", Label(local.loc, "this one"))
        self.require_new_name(name, s.target)
        index = LocalName(LocalRole.INDEX, counted.type, loc, counted.low, counted.high)
        self.scopes.open()
        self.scopes.declare(name, index)
        clauses, rest = self.leading_clauses(s.body, "loop")
        self.scopes.close()
        outside, self.loop_depth = self.loop_depth, len(self.scopes.blocks)
        body = self.finished(self.block(rest, {name: index}), "continue") if rest else ()
        self.loop_depth = outside
        statement = StatementId(header_loc(self.loc(s), self.loc(s.iter)))
        made = For(name, counted.range, body, contract=clauses, index_type=counted.type, id=statement)
        return counted.with_pragmas(made)

    def returned(self, s: ast.Return) -> list[RawStatement]:
        loc = self.loc(s)
        depth = len(self.scopes.blocks) - 1
        if isinstance(s.value, ast.Constant) and s.value.value is None:
            s = ast.copy_location(ast.Return(None), s)
        if s.value is None and (self.returned_name is not None or self.result is not None):
            message = "this function returns a value, and here it would return None"
            raise input_error("OG113", message, loc, help=f"return {self.returned_name or '…'}")
        if s.value is None:
            return [*self.frees(s, depth), Return(None, id=StatementId(loc))]
        if self.returned_name is not None:
            return [*self.frees(s, depth), *self.returned_array(s.value, s)]
        if self.result is None:
            message = "this function has no annotation of what it returns"
            raise input_error("OG113", message, loc, help="def f(…) -> og.f32:")
        if s is not self.source.tree.body[-1]:
            message = "a value is returned at the end of the function alone"
            fix = "return a if c else b; or assign it to a variable, and return that at the end"
            raise input_error("OG014", message, loc, help=fix)
        value = self.expr(s.value)
        expr = self.result_expr(value, s.value)
        frees = self.frees(s, depth)
        if frees and not isinstance(expr, Var):
            name = self.new_name("result")
            declared = Decl(name, self.result, expr, True, id=StatementId(loc))
            return [declared, *frees, Return(Var(name, loc=loc), id=StatementId(loc))]
        return [*frees, Return(expr, id=StatementId(loc))]

    def result_expr(self, value: Value, node: ast.expr) -> Expr:
        t = self.result
        assert t is not None
        value = self.settle(value, t) if Value(value.expr, t).is_real else self.strong(value)
        integers = value.is_integer and Value(value.expr, t).is_integer
        if value.type != computed_type(t) and not integers:
            message = f"the result is `{t.name}`, and this is {describe_type(value.type)}"
            raise self.differs(message, node, _conversion(t))
        return value.expr


def _conversion(t: Scalar) -> str:
    names = {"int": "i32", "int64_t": "i64", **{f.type.name: f.in_python for f in FORMATS.values()}}
    return f"og.{names.get(t.name, t.name)}(…)"


def _step_of(value: Expr, target: Expr) -> tuple[str, Expr] | None:
    """The operator and the amount, where a value is `target op amount`."""
    match value:
        case Binary(op, left, right) if left == target:
            return op, right
        case _:
            return None
