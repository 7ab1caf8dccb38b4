"""Emission of plain C: the program without its annotations, with OpenMP pragmas on parallel loops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from optigpu.codegen.atomic_text import host_atomic
from optigpu.codegen.conversions import host_conversions, stored_float_conversions
from optigpu.codegen.expression_text import CExprs, spelled_out
from optigpu.codegen.host_memory import ALLOCATOR, on_stack
from optigpu.codegen.integer_polynomials import poly
from optigpu.codegen.missing_bodies import names_with_code
from optigpu.codegen.parameters import parameter_ranges
from optigpu.codegen.value_ranges import inside_loop, is_checked
from optigpu.codegen.wrapping import explicit_wraps, ranges_after, with_wraps
from optigpu.frontend.parameter_types import effective_types
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import ATOMICS, CONTROL_CALLS, INT_CONSTANTS, MATH, MEMORY_CALLS, index_helper
from optigpu.syntax.diagnostic import input_error, placed_at
from optigpu.syntax.exprs import Alloc, Array, Bool, Call, Cast, Expr, Int, SizeOf, Type, Var, is_float, is_int
from optigpu.syntax.free_names import fresh_name, names_in
from optigpu.syntax.header_macros import ATTEMPT, is_macro
from optigpu.syntax.printer import Lines, ProgramPrinter
from optigpu.syntax.program import (
    Assert,
    Body,
    CallStmt,
    Clause,
    Decl,
    Define,
    For,
    Function,
    Ghost,
    GhostEnd,
    Mode,
    Param,
    Program,
    Return,
    Role,
    Stmt,
    Store,
)
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import VOID, Pointer, Scalar, Space
from optigpu.syntax.walk import body_subexpressions, map_sizes, map_type, statements, stmt_exprs, subexpressions

HEADERS = {
    "limits.h": frozenset(INT_CONSTANTS),
    "math.h": frozenset(MATH) | {"INFINITY"},
    "setjmp.h": frozenset({"malloc"}),
    "stdatomic.h": frozenset({"malloc"}),
    "stdlib.h": frozenset({"free", "malloc"}),
    "stdint.h": frozenset({"malloc", "int8_t", "int16_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"}),
    "stdbool.h": frozenset({"bool"}),
}
SIZED_TYPES = re.compile(r"\bu?int(?:8|16|32|64)_t\b")


def emit_c(program: Program, functions: Sequence[str] | None = None) -> str:
    """A self-contained C11 file with the named functions (default: all of the program) and their callees."""
    names = [f.name for f in program.functions()] if functions is None else functions
    return _CPrinter(program, names_with_code(program, names)).run()


class _CPrinter(ProgramPrinter):
    exprs: CExprs

    def __init__(self, program: Program, names: Sequence[str]) -> None:
        super().__init__()
        self.source = program
        self.functions = [f for f in callees_first(program, names) if f.role is not Role.GHOST]
        self.macros = {d.name: d.value for d in program.flat_items() if isinstance(d, Define)}
        self.effective = {f.name: effective_types(f) for f in self.functions}
        flat = {f.name: tuple(self.is_flat(f, p) for p in f.params) for f in self.functions}
        self.exprs = CExprs()
        self.exprs.flat_params = flat
        self.exprs.tracked = "malloc" in self.words()
        self.assigned: set[str] = set()  # variables of the function that change
        self.allocating = self.find_allocating()
        self.failing_loops = 0

    def is_flat(self, f: Function, p: Param) -> bool:
        """Whether the parameter is a pointer (`float* a`) that the contract describes as a matrix."""
        type_ = self.effective[f.name][f.params.index(p)]
        return isinstance(p.type, Pointer) and isinstance(type_, Array) and len(type_.dims) > 1

    def run(self) -> str:
        defines = [d for d in self.source.flat_items() if isinstance(d, Define)]
        for d in defines:
            if is_macro(d.name):  # a header defines it too; the program's value counts
                self.out.add(f"#undef {d.name}")
            self.item(d)
        if defines:
            self.out.add("")
        for i, f in enumerate(self.functions):
            if i:
                self.out.add("")
            self.function(f)
        for f in self.functions:
            if f.name in self.allocating:
                self.attempt(f)
        code, self.out = self.out, Lines()
        conversions = [*host_conversions(code.text()), *stored_float_conversions(code.text())]
        headers = self.headers("\n".join([*conversions, code.text()]))
        for header in headers:
            self.out.add(f"#include <{header}>")
        if headers:
            self.out.add("")
        if "malloc" in self.words():
            self.out.extend(ALLOCATOR.strip("\n").split("\n"))
            self.out.add("")
        if conversions:
            self.out.extend(conversions)
            self.out.add("")
        return self.out.text() + code.text() if self.out.lines else code.text()

    def attempt(self, f: Function) -> None:
        """A wrapper that returns an error message instead of aborting when memory runs out."""
        self.begin(f)
        f = without_own_name(f)
        params = [self.param_of(f, p) for p in f.params]
        names = [self.flat_name(f, p) if self.is_flat(f, p) else p.name for p in f.params]
        call = f"{f.name}({', '.join(names)});"
        if f.result != VOID:
            assert isinstance(f.result, Scalar)
            params.append(self.declarator("optigpu_result", Pointer(f.result)))
            call = f"*optigpu_result = {call}"
        self.out.add("")
        self.out.add(f"// `{f.name}`: null if all went well, else what went wrong.")
        self.out.add(f"const char* {ATTEMPT}{f.name}({', '.join(params) or 'void'}) {{")
        self.out.extend(
            f"  {line}"
            for line in (
                "struct optigpu_frame optigpu_frame;",
                "optigpu_enter(&optigpu_frame);",
                "if (setjmp(optigpu_frame.end) == 0) {",
                f"  {call}",
                "  optigpu_leave(&optigpu_frame);",
                "  return NULL;",
                "}",
                "optigpu_failed(&optigpu_frame);",
                f'return "{f.name}: out of memory";',
            )
        )
        self.out.add("}")

    def find_allocating(self) -> set[str]:
        """The functions that allocate memory, or call one that does."""
        allocating: set[str] = set()
        for f in self.functions:  # callees come first
            if self.allocates(f.body, allocating):
                allocating.add(f.name)
        return allocating

    def allocates(self, body: Body, functions: set[str]) -> bool:
        inside = list(statements(body))
        exprs = [
            x
            for s in inside
            if not isinstance(s, Ghost | GhostEnd | Assert)
            for e in stmt_exprs(s)
            for x in subexpressions(e)
        ]
        arrays = [s.type for s in inside if isinstance(s, Decl) and isinstance(s.type, Array)]
        calls = any(isinstance(x, Alloc) or (isinstance(x, Call) and x.func in functions) for x in exprs)
        return calls or any(map(self.may_be_large, arrays))

    def words(self) -> set[str]:
        macros = [d.value for d in self.source.flat_items() if isinstance(d, Define)]
        words = {w for f in self.functions for w in words_of(f)} | words_in(macros)
        arrays = [s.type for f in self.functions for s in statements(f.body) if isinstance(s, Decl)]
        return words | {"malloc" for t in arrays if isinstance(t, Array) and self.may_be_large(t)}

    def may_be_large(self, t: Array) -> bool:
        """Whether a local array may not fit on the stack: it is large, or its size is not constant."""
        return on_stack(map_sizes(t, lambda d: substitute(d, self.macros))) is None

    def headers(self, code: str) -> list[str]:
        words = self.words() | set(SIZED_TYPES.findall(code))
        return [h for h, names in HEADERS.items() if words & names]

    def function(self, f: Function) -> None:
        if f.role is Role.DEVICE:
            raise input_error("OG500", f"the device function `{f.name}` has no counterpart in plain C", f.loc)
        self.begin(f)
        f = with_wraps(f, self.exprs.ranges)
        self.out.add(f"{self.signature(f)} {{")
        self.out.depth += 1
        for p, type_ in zip(f.params, self.effective[f.name]):
            if self.is_flat(f, p):
                assert isinstance(type_, Array)
                matrix = self.declarator(p.name, Array(type_.elem, (None, *type_.dims[1:])), True)
                qualifier = "const " if p.const else ""
                self.out.add(f"{qualifier}{matrix} = ({qualifier}void*){self.flat_name(f, p)};")
        self.body(f.body)
        self.out.depth -= 1
        self.out.add("}")

    def begin(self, f: Function) -> None:
        """Set the known ranges of integers at the start of a function: parameters and macros."""
        exprs = self.exprs
        exprs.ranges, exprs.types = parameter_ranges(f, entry=False), {}
        self.assigned = assigned_names(f.body)
        for d in self.source.flat_items():
            if isinstance(d, Define) and is_int(d.value.type) and d.name not in {p.name for p in f.params}:
                exprs.types[d.name] = exprs.machine_type(d.value)
                exprs.ranges = exprs.ranges.having(d.name, poly(d.value), poly(d.value))

    def size(self, d: Expr | None) -> str:
        return "" if d is None else self.e(explicit_wraps(d, self.exprs.ranges))

    def param(self, p: Param) -> str:
        return self.param_of(next(f for f in self.functions if any(q is p for q in f.params)), p)

    def param_of(self, f: Function, p: Param) -> str:
        if self.is_flat(f, p):
            return ("const " if p.const else "") + self.declarator(self.flat_name(f, p), p.type)
        return super().param(p)

    def flat_name(self, f: Function, p: Param) -> str:
        """The name of the pointer parameter behind a matrix."""
        return fresh_name(p.name + "_", names_in(f))

    def clauses(self, contract: tuple[Clause, ...]) -> None:
        pass

    def body(self, body: Body) -> None:
        ranges, types = self.exprs.ranges, dict(self.exprs.types)
        for s in body:
            if not isinstance(s, Ghost | GhostEnd | Assert):
                with placed_at(s.id.origin()):
                    self.statement(s)
        self.exprs.ranges, self.exprs.types = ranges, types

    def statement(self, s: Stmt) -> None:
        match s:
            case CallStmt(call) if call.func in (CONTROL_CALLS.keys() | MEMORY_CALLS.keys()) - {"free"}:
                raise input_error("OG500", f"`{call.func}` has no counterpart in plain C", s.loc)
            case Store(target, value, op) if op in ATOMICS:
                assert op is not None and isinstance(target.type, Scalar)
                text = self.exprs.stored(value, target.type)
                self.out.extend(host_atomic(op, self.e(target), text, target.type, value))
            case Store(target, value, None):
                self.out.add(f"{self.e(target)} = {self.exprs.stored(value, target.type)};")
            case Store(target, value, op):
                op, value = spelled_out(self.exprs, s) or (op, value)
                self.out.add(f"{self.e(target)} {op or ''}= {self.e(value)};")
            case Return(value) if value is not None:
                self.out.add(f"return {self.exprs.stored(value, value.type)};")
            case _:
                super().statement(s)

    def declaration(self, s: Decl) -> None:
        self.declare(s)
        self.exprs.types.pop(s.name, None)
        if isinstance(s.type, Scalar) and s.init is not None and is_int(s.type) and not is_cell(s, self.assigned):
            t = self.exprs.constant_type(s.type, s.init)
            if t != s.type:
                self.exprs.types[s.name] = t
        self.exprs.ranges = ranges_after(self.exprs.ranges, s, self.assigned)

    def declare(self, s: Decl) -> None:
        if isinstance(s.type, Scalar) and s.init is not None and is_int(s.type):
            cell = is_cell(s, self.assigned)
            t = s.type if cell else self.exprs.constant_type(s.type, s.init)
            known = cell or (isinstance(s.init, Cast) and is_checked(s.init))
            init = self.exprs.stored(s.init, s.type) if known else self.e(s.init)
            self.out.add(f"{'const ' if s.const else ''}{t.name} {s.name} = {init};")
            return
        if (
            isinstance(s.type, Pointer)
            and s.init is not None
            and isinstance(s.init.type, Array)
            and len(s.init.type.dims) > 1
        ):
            array = Array(s.init.type.elem, (None, *s.init.type.dims[1:]))
            self.out.add(f"{self.declarator(s.name, array, True)} = {self.e(s.init)};")
            return
        if isinstance(s.type, Array) and s.type.space is not Space.ANY:
            raise input_error("OG500", "shared memory has no counterpart in plain C", s.loc)
        if isinstance(s.type, Array) and self.may_be_large(s.type):
            sizes = [self.exprs.number_type(s.type.elem), *map(self.size, s.type.dims)]
            self.out.add(f"OPTIGPU_ROOM({', '.join(sizes)});")
        super().declaration(s)

    def loop(self, s: For) -> None:
        if s.mode in (Mode.THREAD, Mode.MAGIC_THREAD):
            raise input_error("OG500", "a thread loop has no counterpart in plain C", s.loc)
        fails = ""
        if s.mode is Mode.PARALLEL and self.allocates(s.body, self.allocating):
            self.failing_loops += 1
            fails = f"optigpu_lost_{self.failing_loops}"
            self.out.add(f"int {fails} = 0;")
        for hint in self.pragmas(s):
            self.out.add(f"#pragma {hint}")
        exprs = self.exprs
        saved, amount = (exprs.ranges, dict(exprs.types)), self.e(s.range.amount)
        head = exprs.loop_head(s)
        step = f"{s.index} {s.range.op}= {amount}"
        if s.range.amount == Int(1) and s.range.op in "+-":
            step = f"{s.index}{s.range.op}{s.range.op}"
        exprs.ranges = inside_loop(saved[0], s, self.assigned)
        if fails:
            self.failing_iteration(f"for ({head}; {step})", s.body, fails)
        else:
            self.nested(f"for ({head}; {step})", s.body)
        exprs.ranges, exprs.types = saved

    def failing_iteration(self, head: str, body: Body, lost: str) -> None:
        """A parallel loop cannot be left by `longjmp`: each iteration has its own frame, and a failure is raised after the loop."""
        frame = lost.replace("lost", "frame")
        self.out.add(f"{head} {{")
        self.out.depth += 1
        self.out.add(f"struct optigpu_frame {frame};")
        self.out.add(f"optigpu_enter(&{frame});")
        self.out.add(f"if (setjmp({frame}.end) == 0) {{")
        self.out.depth += 1
        self.body(body)
        self.out.add(f"optigpu_leave(&{frame});")
        self.out.depth -= 1
        self.out.add("} else {")
        self.out.extend((f"  optigpu_failed(&{frame});", "  #pragma omp atomic write", f"  {lost} = 1;"))
        self.out.add("}")
        self.out.depth -= 1
        self.out.add("}")
        self.out.add(f"if ({lost}) optigpu_fail();")

    def pragmas(self, s: For) -> list[str]:
        """GCC accepts one pragma before a loop: OpenMP's wins over unrolling. OpenMP forbids parallel regions inside a `simd` loop,
        also in functions called there, and most atomic operations: then `simd` is dropped."""
        atomic = any(isinstance(x, Store) and x.op in ATOMICS for x in statements(s.body))
        if "simd" in s.hints and (atomic or self.starts_threads(s.body)):
            s = replace(s, hints=tuple(h for h in s.hints if h != "simd"))
        pragmas = super().pragmas(s)
        omp = [p for p in pragmas if p.startswith("omp")]
        return omp or [f"GCC {p}" for p in pragmas if p.startswith("unroll ")]

    def starts_threads(self, body: Body) -> bool:
        """Whether the body runs a parallel loop, directly or in a callee."""
        if any(isinstance(x, For) and x.mode is Mode.PARALLEL for x in statements(body)):
            return True
        called = {x.func for x in body_subexpressions(body) if isinstance(x, Call)}
        return any(self.starts_threads(f.body) for f in self.functions if f.name in called)


def without_own_name(f: Function) -> Function:
    """The function with a parameter renamed if it has the function's own name, which it would hide."""
    name = fresh_name(f.name, names_in(f) | {f.name})

    def renamed(e: Expr) -> Expr:
        return substitute(e, {f.name: Var(name)})

    params = [replace(p, type=map_type(p.type, renamed)) for p in f.params]
    return replace(f, params=tuple(replace(p, name=name) if p.name == f.name else p for p in params))


def callees_first(program: Program, names: Sequence[str]) -> list[Function]:
    """The named functions in order, each after its callees: C requires a declaration before a call. Included functions that
    are not called were not checked, so they are left out."""
    known = {f.name: f for f in program.flat_items() if isinstance(f, Function)}
    out: dict[str, Function] = {}

    def visit(f: Function) -> None:
        for called in sorted(words_of(f) & known.keys() - out.keys() - {f.name}):
            visit(known[called])
        out[f.name] = f

    for name in names:
        visit(known[name])
    return list(out.values())


def words_of(f: Function) -> set[str]:
    """The names in a function's code that headers may declare: types and called functions."""
    words = {type_word(p.type) for p in f.params} | {type_word(f.result)}
    for s in statements(f.body):
        if isinstance(s, Ghost | GhostEnd | Assert):
            continue
        if isinstance(s, Decl):
            words.add(type_word(s.type))
        if isinstance(s, For):
            words |= {s.index_type.name} | words_in([s.range.start, s.range.bound, s.range.amount])
        else:
            words |= words_in(stmt_exprs(s))
    return words


def words_in(exprs: Iterable[Expr]) -> set[str]:
    words: set[str] = set()
    for x in (x for e in exprs for x in subexpressions(e)):
        match x:
            case Call("min" | "max" | "abs"):
                words.add("fmaxf" if is_float(x.type) else "")
            case Call(name) if index_helper(name) is not None:
                pass
            case Call(name) | Var(name):
                words.add(name)
            case Alloc():
                words.add("malloc")
            case Bool():
                words.add("bool")
            case Cast(to, _, False) | SizeOf(to):
                words.add(to.name)
            case _:
                pass
    return words


def type_word(t: Type) -> str:
    match t:
        case Scalar(name):
            return name
        case Array(elem) | Pointer(elem):
            return elem.name
        case _:
            return ""
