"""Compares what Python made of the annotations and decorators of a function with what their text says.

A program is read from the text. Python has run annotations and decorators before: with the names of the classes and functions
around, and of a moment that is over. Where the two do not agree the function is refused.
"""

from __future__ import annotations
import __future__

import ast

from optigpu.frontend.python.python_signature import MISSING, ForeignObject
from optigpu.frontend.python.python_statements import StatementTranslator
from optigpu.frontend.python.python_surroundings import bound_names, private_name
from optigpu.frontend.python.python_words import APPLIED_CONTRACTS, CLAUSE_WORDS, ArrayType, Size, Word
from optigpu.syntax.diagnostic import input_error

UNEVALUATED = __future__.annotations.compiler_flag


class EvaluatedTranslator(StatementTranslator):
    """`decorator` is the object of `@og.program`."""

    decorator: object

    # Scopes

    def reject_surroundings(self) -> None:
        """Refuse annotations and decorators whose names a class or function around binds, and what a class renames."""
        tree, around = self.source.tree, self.source.around
        if type_params := getattr(tree, "type_params", None):
            raise input_error("OG016", "a program has no type parameters", self.loc(type_params[0]))
        if (private := private_name(tree, around)) is not None:
            message = "Python gives this name another one, since the function stands in a class"
            raise self.differs(message, private, "a name that does not start with `__`")
        bound = bound_names(around)
        for node in self.looked_up_outside():
            for name in names_of(node):
                if name in bound:
                    message = f"`{name}` is a name of the class or function around: a program knows those of its module"
                    raise input_error(
                        "OG016", message, self.loc(node), help="import or define it at the top of the file"
                    )

    def looked_up_outside(self) -> list[ast.expr]:
        """Annotations, and the functions that decorate."""
        tree = self.source.tree
        out = [n.annotation for n in ast.walk(tree) if isinstance(n, ast.arg | ast.AnnAssign) and n.annotation]
        heads = [d.func if isinstance(d, ast.Call) else d for d in tree.decorator_list]
        return [*out, *([tree.returns] if tree.returns is not None else []), *heads]

    # Decorators

    def contract_decorators(self) -> list[ast.expr]:
        """The decorators below `@og.program`, which are contracts. Others would change what the function does."""
        below: list[ast.expr] = []
        decorators = self.source.tree.decorator_list
        found = [self.object_of(d.func if isinstance(d, ast.Call) else d) for d in decorators]
        if decorators and sum(f is self.decorator for f in found) != 1:
            unknown = next((d for d, f in zip(decorators, found) if f is MISSING), decorators[0])
            message = "among the decorators of a program, exactly one is known to be `@og.program`"
            fix = "write @og.program above the contract, with `og` imported at the top of the file"
            raise input_error("OG016", message, self.loc(unknown), help=fix)
        is_below = False
        for node, meant in zip(decorators, found):
            if meant is self.decorator:
                is_below = True
                continue
            word = meant.name if isinstance(meant, Word) else None
            known = word in CLAUSE_WORDS or word == "admitted"
            if is_below and not (known and (isinstance(node, ast.Call) or word == "admitted")):
                message = "this decorator would change what the function does"
                raise input_error("OG016", message, self.loc(node), help="below @og.program stand contracts")
            if not is_below and known:
                raise input_error("OG019", "a contract stands below `@og.program`", self.loc(node))
            if not is_below and meant is MISSING:
                message = f"`{ast.unparse(node)}` is no name of the module"
                raise input_error("OG016", message, self.loc(node), help="define it in the module")
            below += [node] if is_below else []
        return below

    def require_applied(self, read: list[tuple[str, tuple[object, ...]]]) -> None:
        """The contracts that have decorated the function are those that its text shows."""
        applied = APPLIED_CONTRACTS.get(self.source.function, [])
        if list(reversed(applied)) != read:
            message = "the contracts that Python has applied to this function are not those above it"
            raise input_error("OG016", message, self.source.name_loc, help='write @og.requires("…") below @og.program')

    # Annotations

    def require_evaluated(self, name: str, node: ast.expr, read: ast.expr) -> None:
        """Python evaluated an annotation to what it means here; `read` is the annotation without its quotes."""
        self.reject_other_sizes(read)
        try:
            actual = self.source.function.__annotations__.get(name, MISSING)
        except Exception as e:  # annotations may be evaluated now
            actual = ForeignObject(type(e), number=False)
        quoted = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
        if isinstance(actual, str):
            if bool(self.source.function.__code__.co_flags & UNEVALUATED) or actual == quoted:
                return
        elif quoted is None and self.has_meaning(node, actual):
            return
        self.refuse_evaluated(name, node)

    def refuse_evaluated(self, name: str, node: ast.expr) -> None:
        message = f"the annotation of `{name}` was something else when Python evaluated it"
        raise self.differs(message, node, "names of the module, defined once")

    def reject_other_sizes(self, node: ast.expr) -> None:
        """Refuse `k: int, a: og.f32[k]` where the module has another `k`: Python's size is that one."""
        if self.element_type(node) is None:
            return
        assert isinstance(node, ast.Subscript)
        for part in ast.walk(node.slice):
            if isinstance(part, ast.Name) and self.scopes.find(part.id) is not None:
                value = self.names.find(part.id)
                if value is not MISSING and not (isinstance(value, Size) and value.text == part.id):
                    message = f"`{part.id}` is a parameter here, and something else of the module in Python"
                    raise self.differs(message, part, f'og.f32["{part.id}"], or another name')

    def has_meaning(self, node: ast.expr, actual: object) -> bool:
        elem = self.element_type(node)
        if elem is None:
            found = self.object_of(node)
            return found is actual and found is not MISSING
        if not isinstance(actual, ArrayType) or actual.elem is not elem:
            return False
        assert isinstance(node, ast.Subscript)
        dims = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return len(dims) == len(actual.dims) and all(map(self.is_size_of, dims, actual.dims))

    def is_size_of(self, node: ast.expr, actual: object) -> bool:
        if isinstance(node, ast.Constant) and not isinstance(node.value, int):
            return type(actual) is type(node.value) and actual == node.value
        number = self.number_of_module(node)
        if number is not None:
            return type(actual) is int and actual == number
        return isinstance(actual, Size) and (not isinstance(node, ast.Name) or actual.text == node.id)

    def number_of_module(self, node: ast.expr) -> int | None:
        """The value of an expression of numbers of the module; None for others."""
        match node:
            case ast.Constant(int(value)):
                return value
            case ast.Name(name) if self.scopes.find(name) is None:
                found = self.names.find(name)
                return found if type(found) is int else None
            case ast.UnaryOp(ast.USub(), operand):
                number = self.number_of_module(operand)
                return None if number is None else -number
            case ast.BinOp(left, op, right):
                a, b = self.number_of_module(left), self.number_of_module(right)
                if a is None or b is None:
                    return None
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.FloorDiv() if b != 0:
                        return a // b
                return None
            case _:
                return None


def names_of(node: ast.AST) -> set[str]:
    """The names in an annotation, also in its strings."""
    out: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            out.add(part.id)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            try:
                out |= names_of(ast.parse(part.value.strip(), mode="eval"))
            except (SyntaxError, ValueError):
                continue  # refused where it is read
    return out
