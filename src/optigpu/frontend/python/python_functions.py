"""Translates a typed Python function to a function of a program: its parameters, its contract and its body."""

from __future__ import annotations

import ast

from optigpu.frontend.python.python_evaluated import EvaluatedTranslator
from optigpu.frontend.python.python_scopes import LocalName, LocalRole
from optigpu.frontend.python.python_signature import MISSING, ForeignObject, ModuleNames, ProgramSignature
from optigpu.frontend.python.python_source import PythonFunction
from optigpu.frontend.python.python_words import Size
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Call, Expr, PointsTo, Type
from optigpu.syntax.free_names import body_free_vars, clause_free_vars, free_vars, type_free_vars
from optigpu.syntax.program import Clause, Function, Param, Role, logical_variables
from optigpu.syntax.source import Loc
from optigpu.syntax.types import INT, VOID, Pointer, Scalar


class FunctionTranslator(EvaluatedTranslator):
    """Translates one function. `decorator` is the object of `@og.program`; `size_order` the sizes in C's order, if given."""

    def __init__(
        self,
        source: PythonFunction,
        names: ModuleNames,
        decorator: object,
        size_order: tuple[str, ...] | None = None,
        role: Role = Role.HOST,
    ) -> None:
        super().__init__(source, names)
        self.role = role
        self.decorator = decorator
        self.size_order = size_order
        self.tree = source.tree

    def signature(self) -> ProgramSignature:
        self.reject_unusual()
        self.reject_surroundings()
        annotations = [(a.arg, self.annotation_of(a), a) for a in (*self.tree.args.posonlyargs, *self.tree.args.args)]
        returned = self.return_annotation()
        explicit = {name for name, _, _ in annotations}
        arrays = [node for _, node, _ in annotations] + ([returned] if returned is not None else [])
        sizes = self.sizes_of(arrays, explicit)
        self.require_known(sizes, arrays if returned is None else arrays[:-1])
        self.declare_sizes(sizes)
        params = self.declared_params(annotations)
        self.returned_name = self.name_returned() if returned is not None and self.is_array(returned) else None
        result: Type = VOID
        made: Param | None = None
        if self.returned_name is not None and returned is not None:
            self.returned_type = self.array_annotation(returned)
            made = Param(self.returned_name, self.returned_type, loc=self.loc(returned))
        elif returned is not None:
            result = self.result = self.scalar_annotation(returned)
        self.require_annotations(returned)
        contract, body, admitted = self.contract_and_body()
        statements = () if admitted else self.function_body(body)
        size_params = [Param(n, INT, loc=loc) for n, loc in sizes.items()]
        all_params = (*size_params, *params, *([made] if made is not None else []))
        name = self.tree.name
        self.require_new_name(name, self.tree)
        if self.role is Role.GHOST and (all_params or result != VOID):
            message = "a lemma has no parameters and no result: its variables are those of `og.requires`"
            raise input_error("OG019", message, self.source.name_loc, help=f"def {name}():")
        f = Function(name, all_params, result, statements, contract, self.role, admitted, self.source.name_loc)
        self.use_constants(f)
        if made is not None:
            self.reject_claims_before(made.name, contract)
        return ProgramSignature(f, tuple(p.name for p in params), tuple(sizes), made)

    def reject_unusual(self) -> None:
        args = self.tree.args
        for unusual in (args.vararg, args.kwarg, *args.kwonlyargs):
            if unusual is not None:
                message = "a program has parameters that are given in order"
                raise input_error("OG019", message, self.loc(unusual), help='def f(n: int, a: og.f32["n"])')
        for default in (*args.defaults, *args.kw_defaults):
            if default is not None:
                message = "a program has no default arguments"
                raise input_error("OG016", message, self.loc(default), help="give the argument in each call")
        if free := self.source.function.__code__.co_freevars:
            message = f"`{free[0]}` is a variable of a function around: a program knows the names of its module alone"
            raise input_error("OG016", message, self.source.name_loc, help="make it a parameter")

    # Annotations

    def annotation_of(self, a: ast.arg) -> ast.expr:
        if a.annotation is None:
            message = f"`{a.arg}` has no type"
            raise input_error("OG019", message, self.loc(a), help=f'{a.arg}: int, or {a.arg}: og.f32["n"]')
        return self.unquoted(a.annotation)

    def return_annotation(self) -> ast.expr | None:
        node = self.tree.returns
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        return self.unquoted(node)

    def unquoted(self, node: ast.expr) -> ast.expr:
        """What stands in a string, `"n + 1"`, at the place of the string."""
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return node
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            raise input_error("OG019", f"`{node.value}` is no type or size", self.loc(node)) from None
        for part in ast.walk(inner):
            if isinstance(part, ast.expr):
                ast.copy_location(part, node)
        return inner

    def require_annotations(self, returned: ast.expr | None) -> None:
        """The annotations of the text are those that the function has."""
        for a in (*self.tree.args.posonlyargs, *self.tree.args.args):
            assert a.annotation is not None
            self.require_evaluated(a.arg, a.annotation, self.annotation_of(a))
        if returned is not None:
            assert self.tree.returns is not None
            self.require_evaluated("return", self.tree.returns, returned)

    def is_array(self, node: ast.expr) -> bool:
        return self.element_type(node) is not None

    def scalar_annotation(self, node: ast.expr) -> Scalar:
        scalar = self.scalar_type(node)
        if scalar is not None:
            return scalar
        message = f"`{ast.unparse(node)}` is no type of a program"
        raise input_error("OG019", message, self.loc(node), help='int, og.f32, or og.f32["n", "m"] for an array')

    def dims_of(self, node: ast.expr) -> list[tuple[ast.expr, bool]]:
        """The sizes in an annotation, and whether each stood in quotes."""
        assert isinstance(node, ast.Subscript)
        dims = self.written_dims(node)
        if len(dims) > 1 and any(isinstance(d, ast.Constant) and d.value is ... for d in dims):
            message = "`...` leaves all sizes to the contract: no other size stands beside it"
            raise input_error(
                "OG019", message, self.loc(node), help=f"{ast.unparse(node.value)}[...], or all its sizes"
            )
        return [(self.unquoted(d), isinstance(d, ast.Constant) and isinstance(d.value, str)) for d in dims]

    def array_annotation(self, node: ast.expr) -> Array:
        elem = self.element_type(node)
        assert elem is not None
        return Array(elem.scalar, tuple(self.integer(d, "a size is").expr for d, _ in self.dims_of(node)))

    def sizes_of(self, annotations: list[ast.expr], explicit: set[str]) -> dict[str, Loc]:
        """The sizes that are no parameters of the Python function, in C's order: that of their first appearance."""
        found: dict[str, Loc] = {}
        for node in annotations:
            if self.is_array(node):
                for d, quoted in self.dims_of(node):
                    if isinstance(d, ast.Name) and d.id not in explicit and self.is_size(d, quoted):
                        found.setdefault(d.id, self.loc(d))
        if self.size_order is None:
            return found
        if sorted(self.size_order) != sorted(found):
            message = (
                f"`sizes` names {', '.join(self.size_order) or 'none'}, the annotations {', '.join(found) or 'none'}"
            )
            raise input_error("OG019", message, self.source.name_loc, help=f'sizes="{" ".join(found)}"')
        return {name: found[name] for name in self.size_order}

    def require_known(self, sizes: dict[str, Loc], given: list[ast.expr]) -> None:
        """Each size is one of an argument: callers do not pass it."""
        known = {d.id for n in given if self.is_array(n) for d, _ in self.dims_of(n) if isinstance(d, ast.Name)}
        for name, loc in sizes.items():
            if name not in known:
                message = f"the size `{name}` follows from no argument"
                raise input_error("OG019", message, loc, help=f"make it a parameter: {name}: int")

    def is_size(self, node: ast.Name, quoted: bool) -> bool:
        """Whether a name in an annotation is a size. It must mean nothing else in the body."""
        value = self.names.find(node.id)
        if value is MISSING or (isinstance(value, Size) and value.text == node.id):
            return True
        if isinstance(value, int) and not isinstance(value, bool) and not quoted:
            return False
        if isinstance(value, Size):
            message = f"`{node.id}` is the size {value.text}"
            raise input_error("OG019", message, self.loc(node), help=f'{node.id} = og.sizes("{node.id}")')
        message = f"`{node.id}` would be a size here, and is {value!r} of the module in Python"
        raise self.differs(message[:200], node, f"another name, or og.f32[{node.id}] for a number of the module")

    def declare_sizes(self, sizes: dict[str, Loc]) -> None:
        for name, loc in sizes.items():
            self.require_new_name(name, self.tree)
            self.scopes.declare(name, LocalName(LocalRole.SIZE, INT, loc, low=0))

    def declared_params(self, annotations: list[tuple[str, ast.expr, ast.arg]]) -> list[Param]:
        """The parameters of the Python function. Numbers are declared first: sizes of arrays may name them."""
        dims = {
            d.id for _, n, _ in annotations if self.is_array(n) for d, _ in self.dims_of(n) if isinstance(d, ast.Name)
        }
        types: dict[str, Type] = {}
        for name, node, a in annotations:
            self.require_new_name(name, a)
            if not self.is_array(node):
                scalar = types[name] = self.scalar_annotation(node)
                low = 0 if name in dims else None
                self.scopes.declare(name, LocalName(LocalRole.PARAMETER, scalar, self.loc(a), low))
        for name, node, a in annotations:
            elem = self.element_type(node)
            if elem is not None:
                array = Pointer(elem.scalar) if self.is_unsized(node) else self.array_annotation(node)
                types[name] = array
                self.scopes.declare(name, LocalName(LocalRole.PARAMETER, array, self.loc(a)))
        params = [Param(name, types[name], loc=self.loc(a)) for name, _, a in annotations]
        for n, p in enumerate(params):
            if late := sorted({q.name for q in params[n:]} & type_free_vars(p.type)):
                message = f"`{late[0]}` is in a size of `{p.name}`, which stands before it"
                raise input_error("OG019", message, p.loc, help=f"the parameter `{late[0]}` before `{p.name}`")
        return params

    def is_unsized(self, node: ast.expr) -> bool:
        """`og.f32[...]`: the contract has the sizes."""
        return any(isinstance(d, ast.Constant) and d.value is ... for d, _ in self.dims_of(node))

    def name_returned(self) -> str:
        last = self.tree.body[-1]
        if isinstance(last, ast.Return) and isinstance(last.value, ast.Name):
            if self.scopes.find(last.value.id) is not None:
                message = f"`{last.value.id}` is a parameter, which the caller has already"
                raise input_error(
                    "OG113", message, self.loc(last.value), help="leave the `return` and its annotation out"
                )
            return last.value.id
        message = "this function returns an array, so it ends with `return` and the name of that array"
        raise input_error("OG113", message, self.loc(last), help="b = og.empty(…) at the start, return b")

    # Contract

    def contract_and_body(self) -> tuple[tuple[Clause, ...], list[ast.stmt], bool]:
        """The contract, of decorators and then of the first statements; what follows; whether the function is admitted."""
        clauses: list[Clause] = []
        admitted = False
        applied: list[tuple[str, tuple[object, ...]]] = []
        for node in self.contract_decorators():
            called = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
            word = self.word(called.func)
            assert word is not None
            if word == "admitted":
                admitted = True
            else:
                assert isinstance(node, ast.Call)
                clauses.append(self.clause(word, node, "function"))
            applied.append((word, tuple(a.value for a in called.args if isinstance(a, ast.Constant))))
        self.require_applied(applied)
        body = self.tree.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]  # the docstring
        more, rest = self.leading_clauses(body, "function")
        return (*clauses, *more), rest or [ast.copy_location(ast.Pass(), self.tree)], admitted

    def reject_claims_before(self, name: str, contract: tuple[Clause, ...]) -> None:
        """The array that the function makes holds nothing before: its precondition may only say that it is there."""
        for c in contract:
            for item in c.items if c.kind in ("requires", "reads", "preserves", "consumes") else ():
                uninit = c.kind == "consumes" and isinstance(item.body, PointsTo) and _is_uninit(item.body.target)
                if name in free_vars(item.body) and not uninit:
                    message = f"`{name}` is made by this function, and holds nothing before"
                    raise input_error("OG019", message, item.loc, help=f'og.writes("{name} ~> …")')

    def use_constants(self, f: Function) -> None:
        """Keep the names of the module's numbers that contracts and proof steps mention."""
        inner = {p.name for p in f.params} | logical_variables(f.contract).keys()
        free = (clause_free_vars(f.contract) | body_free_vars(f.body)) - inner - self.locals
        for name in sorted(free):
            value = self.names.find(name) if name in self.names.namespace else MISSING
            if isinstance(value, ForeignObject) and value.number:
                message = f"`{name}` is {value.kind.__name__} of the module: formulas know its `int` and `float` alone"
                raise input_error(
                    "OG016", message, self.source.name_loc, help=f"{name} = int({name}), or float({name})"
                )
            if type(value) in (int, float):
                assert isinstance(value, int | float)
                self.names.constants.setdefault(name, value)


def _is_uninit(target: Expr) -> bool:
    """Whether a permission is one of cells that may be uninitialised."""
    return isinstance(target, Call) and target.func.startswith("Uninit")
