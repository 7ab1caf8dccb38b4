"""Plain C: what is left of a program when its annotations are gone, with OpenMP pragmas for parallel loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from optigpu.frontend.shapes import effective_types
from optigpu.syntax.builtins import CONTROL_CALLS, INT_CONSTANTS, MATH, MEMORY_CALLS, index_helper
from optigpu.syntax.errors import input_error
from optigpu.syntax.exprs import Alloc, Binary, Bool, Call, Cast, Expr, Real, SizeOf, Var
from optigpu.syntax.macros import ATTEMPT, is_macro
from optigpu.syntax.operators import BITWISE, COMPARISONS, POSTFIX_PRECEDENCE, UNARY_PRECEDENCE, precedence
from optigpu.syntax.printer import ExprPrinter, ProgramPrinter
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
    Role,
    Stmt,
)
from optigpu.syntax.types import INT64, UINT64, VOID, Array, Kind, Pointer, Scalar, Space, Type, is_float
from optigpu.syntax.walk import free_vars, statements, stmt_exprs, subexpressions

HEADERS = {
    "limits.h": frozenset(INT_CONSTANTS),
    "math.h": frozenset(MATH) | {"INFINITY"},
    "setjmp.h": frozenset({"malloc"}),
    "stdatomic.h": frozenset({"malloc"}),
    "stdlib.h": frozenset({"free", "malloc"}),
    "stdint.h": frozenset({"malloc", "int8_t", "int16_t", "int64_t", "uint8_t", "uint16_t", "uint64_t"}),
    "stdbool.h": frozenset({"bool"}),
}
ALLOCATOR = r"""
// Memory for arrays. Where there is none, or none of such a size, the innermost frame ends: what was allocated in it is freed,
// and an optigpu_try_ function returns what went wrong. Outside of all frames nobody can be told, and the program stops.
struct optigpu_frame {
  jmp_buf end;
  jmp_buf* outer;
  int depth;
};
struct optigpu_memory {
  struct optigpu_memory* older;
  void* array;
  const int* thread;
  int depth;
};
static _Thread_local jmp_buf* optigpu_end;
static _Thread_local int optigpu_depth;  // its address is the thread's name
static struct optigpu_memory* optigpu_held;
static atomic_flag optigpu_busy = ATOMIC_FLAG_INIT;
static inline void optigpu_enter(struct optigpu_frame* frame) {
  frame->outer = optigpu_end;
  frame->depth = optigpu_depth++;
  optigpu_end = &frame->end;
}
static inline void optigpu_leave(const struct optigpu_frame* frame) {
  optigpu_end = frame->outer;
  optigpu_depth = frame->depth;
}
static inline void optigpu_fail(void) {
  if (optigpu_end == NULL) abort();
  longjmp(*optigpu_end, 1);
}
static inline size_t optigpu_bytes(size_t bytes, int rank, const size_t* sizes) {
  for (int i = 0; i < rank; i++) {
    if (sizes[i] != 0 && bytes > SIZE_MAX / sizes[i]) optigpu_fail();
    bytes *= sizes[i];
  }
  return bytes;
}
static inline void* optigpu_malloc(size_t bytes) {
  struct optigpu_memory* const memory = malloc(sizeof *memory);
  void* const array = malloc(bytes);
  if (memory == NULL || (array == NULL && bytes != 0)) {
    free(memory);
    free(array);
    optigpu_fail();
  }
  while (atomic_flag_test_and_set(&optigpu_busy)) {}
  *memory = (struct optigpu_memory){optigpu_held, array, &optigpu_depth, optigpu_depth};
  optigpu_held = memory;
  atomic_flag_clear(&optigpu_busy);
  return array;
}
static inline struct optigpu_memory* optigpu_taken(const void* array, const int* thread, int depth) {
  while (atomic_flag_test_and_set(&optigpu_busy)) {}
  struct optigpu_memory** at = &optigpu_held;
  while (*at != NULL && !(thread == NULL ? (*at)->array == array : (*at)->thread == thread && (*at)->depth > depth))
    at = &(*at)->older;
  struct optigpu_memory* const found = *at;
  if (found != NULL) *at = found->older;
  atomic_flag_clear(&optigpu_busy);
  return found;
}
static inline void optigpu_free(void* array) {
  free(optigpu_taken(array, NULL, 0));
  free(array);
}
static inline void optigpu_failed(const struct optigpu_frame* frame) {
  optigpu_leave(frame);
  for (struct optigpu_memory* m; (m = optigpu_taken(NULL, &optigpu_depth, frame->depth)) != NULL; free(m)) free(m->array);
}
#define OPTIGPU_BYTES(type, ...) \
  optigpu_bytes(sizeof(type), sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (size_t[]){__VA_ARGS__})
#define OPTIGPU_MALLOC(type, ...) optigpu_malloc(OPTIGPU_BYTES(type, __VA_ARGS__))
"""


def emit_c(program: Program, functions: Sequence[str] | None = None) -> str:
    """A self-contained C11 file with these functions, or those of the program, and what they call."""
    names = [f.name for f in program.functions()] if functions is None else functions
    return _CPrinter(program, names).run()


class CExprs(ExprPrinter):
    knows_rsqrt = False  # C's library has no such function

    def __init__(self) -> None:
        self.flat_params: dict[
            str, tuple[bool, ...]
        ] = {}  # per function: which parameters are flat pointers to matrices
        self.tracked = False  # whether allocations are listed

    def binary(self, e: Binary) -> tuple[str, int]:
        level = precedence(e.op)
        left = self.show(e.left, POSTFIX_PRECEDENCE if confusing(e.op, e.left) else level)
        right = self.show(e.right, POSTFIX_PRECEDENCE if confusing(e.op, e.right) else level + 1)
        return f"{left} {e.op} {right}", level

    def call(self, e: Call) -> tuple[str, int]:
        match e.func:
            case "exact_div":
                return self.text(Binary("/", e.args[0], e.args[1], type=e.type))
            case "min" | "max" | "abs":
                return self.numeric(e)
            case "rsqrt" | "rsqrtf" if not self.knows_rsqrt:
                root = Call(e.func[1:], e.args, type=e.type)
                return self.text(Binary("/", Real(Fraction(1), MATH[e.func].type, type=e.type), root, type=e.type))
            case _:
                pass
        helper = index_helper(e.func)
        if helper is not None:
            return self.text(self.arithmetic(e, helper))
        flat = self.flat_params.get(e.func)
        args = [self.show(a) for a in e.args]
        if e.func == "free" and self.tracked:
            return f"optigpu_free({args[0]})", POSTFIX_PRECEDENCE
        if flat is not None:
            args = [
                f"({a.type.elem.name}*){self.show(a, UNARY_PRECEDENCE)}"
                if is_flat and isinstance(a.type, Array)
                else text
                for a, text, is_flat in zip(e.args, args, flat)
            ]
        return f"{e.func}({', '.join(args)})", POSTFIX_PRECEDENCE

    def arithmetic(self, e: Call, helper: tuple[str, int]) -> Expr:
        """MSIZEn and MINDEXn, in the 64 bits that they have in <optigpu.h>."""
        first, t = (0, UINT64) if helper[0] == "MSIZE" else (helper[1], INT64)
        args = [Cast(t, a, type=t) if i == first else a for i, a in enumerate(e.args)]
        return expand_index_helper(replace(e, args=tuple(args)), helper)

    def numeric(self, e: Call) -> tuple[str, int]:
        t = e.type
        assert isinstance(t, Scalar)
        if t.kind is Kind.FLOAT:
            name = {"min": "fmin", "max": "fmax", "abs": "fabs"}[e.func] + ("f" if t.bits == 32 else "")
            return f"{name}({', '.join(self.show(a) for a in e.args)})", POSTFIX_PRECEDENCE
        if e.func == "abs":
            a = self.show(e.args[0], POSTFIX_PRECEDENCE)
            return f"({a} < 0 ? -{a} : {a})", POSTFIX_PRECEDENCE
        a, b = (self.show(x, precedence("<") + 1) for x in e.args)
        return f"({a} {'<' if e.func == 'min' else '>'} {b} ? {a} : {b})", POSTFIX_PRECEDENCE

    def alloc(self, e: Alloc) -> str:
        if e.space is not Space.ANY:
            raise input_error("OG500", "GPU memory has no counterpart in plain C", e.loc)
        return f"OPTIGPU_MALLOC({', '.join([e.elem.name, *map(self.show, e.dims)])})"


def confusing(outer: str, side: Expr) -> bool:
    """Mixtures that C compilers warn about, because people misread them."""
    while isinstance(side, Cast) and side.implicit:
        side = side.arg
    if not isinstance(side, Binary):
        return False
    inner = side.op
    if outer == "||" and inner == "&&":
        return True
    if outer in BITWISE and inner not in ("*", "/", "%") and inner != outer:
        return True
    return outer in COMPARISONS and inner in COMPARISONS


def expand_index_helper(e: Call, helper: tuple[str, int]) -> Expr:
    """MSIZEn and MINDEXn as arithmetic."""
    stem, rank = helper
    sizes, indices = e.args[:rank], e.args[rank:]
    if stem == "MSIZE":
        out: Expr = sizes[0]
        for n in sizes[1:]:
            out = Binary("*", out, n, type=e.type)
        return out
    out = indices[0]
    for n, i in zip(sizes[1:], indices[1:]):
        out = Binary("+", Binary("*", out, n, type=e.type), i, type=e.type)
    return out


class _CPrinter(ProgramPrinter):
    def __init__(self, program: Program, names: Sequence[str]) -> None:
        super().__init__()
        self.source = program
        self.functions = [f for f in callees_first(program, names) if f.role is not Role.GHOST]
        self.effective = {f.name: effective_types(f) for f in self.functions}
        exprs = CExprs()
        exprs.flat_params = {f.name: tuple(self.is_flat(f, p) for p in f.params) for f in self.functions}
        self.exprs = exprs
        self.allocating = self.find_allocating()
        exprs.tracked = "malloc" in self.words()
        self.failing_loops = 0

    def is_flat(self, f: Function, p: Param) -> bool:
        """`float* a` that the contract makes a matrix."""
        type_ = self.effective[f.name][f.params.index(p)]
        return isinstance(p.type, Pointer) and isinstance(type_, Array) and len(type_.dims) > 1

    def run(self) -> str:
        headers = self.headers()
        for header in headers:
            self.out.add(f"#include <{header}>")
        if headers:
            self.out.add("")
        if "malloc" in self.words():
            self.out.extend(ALLOCATOR.strip("\n").split("\n"))
            self.out.add("")
        defines = [d for d in self.source.flat_items() if isinstance(d, Define)]
        for d in defines:
            if is_macro(d.name):  # of a header: the program's own value is meant
                self.out.add(f"#undef {d.name}")
            self.item(d)
        if defines:
            self.out.add("")
        for i, f in enumerate(self.functions):
            if i:
                self.out.add("")
            self.function(f)
        for f in self.functions:
            if f.name in self.allocating and all(p.name != f.name for p in f.params):  # which would hide it
                self.attempt(f)
        return self.out.text()

    def attempt(self, f: Function) -> None:
        """The function for callers that want to know whether there was memory for it."""
        params = [self.param(p) for p in f.params]
        names = [p.name + ("_" if self.is_flat(f, p) else "") for p in f.params]
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
        found: set[str] = set()
        for f in self.functions:  # each after those it calls
            if self.allocates(f.body, found):
                found.add(f.name)
        return found

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
        return calls or any(map(self.is_product, arrays))

    def words(self) -> set[str]:
        macros = [d.value for d in self.source.flat_items() if isinstance(d, Define)]
        found = {w for f in self.functions for w in words_of(f)} | words_in(macros)
        arrays = [s.type for f in self.functions for s in statements(f.body) if isinstance(s, Decl)]
        return found | {"malloc" for t in arrays if isinstance(t, Array) and self.is_product(t)}

    def is_product(self, t: Array) -> bool:
        """Whether this is a local array whose size is a product that is computed when the program runs."""
        constants = {d.name for d in self.source.flat_items() if isinstance(d, Define)}
        sizes = [d for d in t.dims if d is not None]
        return len(sizes) == len(t.dims) > 1 and not all(free_vars(d) <= constants for d in sizes)

    def headers(self) -> list[str]:
        return [h for h, names in HEADERS.items() if self.words() & names]

    def function(self, f: Function) -> None:
        if f.role is Role.DEVICE:
            raise input_error("OG500", f"the device function `{f.name}` has no counterpart in plain C", f.loc)
        self.out.add(f"{self.signature(f)} {{")
        self.out.depth += 1
        for p, type_ in zip(f.params, self.effective[f.name]):
            if self.is_flat(f, p):
                assert isinstance(type_, Array)
                matrix = self.declarator(p.name, Array(type_.elem, (None, *type_.dims[1:])), True)
                const = "const " if p.const else ""
                self.out.add(f"{const}{matrix} = ({const}void*){p.name}_;")
        self.body(f.body)
        self.out.depth -= 1
        self.out.add("}")

    def param(self, p: Param) -> str:
        f = next(f for f in self.functions if any(q is p for q in f.params))
        if self.is_flat(f, p):
            return ("const " if p.const else "") + self.declarator(p.name + "_", p.type)
        return super().param(p)

    def clauses(self, contract: tuple[Clause, ...]) -> None:
        pass

    def body(self, body: Body) -> None:
        for s in body:
            if not isinstance(s, Ghost | GhostEnd | Assert):
                self.statement(s)

    def statement(self, s: Stmt) -> None:
        if isinstance(s, CallStmt) and s.call.func in (CONTROL_CALLS.keys() | MEMORY_CALLS.keys()) - {"free"}:
            raise input_error("OG500", f"`{s.call.func}` has no counterpart in plain C", s.loc)
        super().statement(s)

    def declaration(self, s: Decl) -> None:
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
        if isinstance(s.type, Array) and self.is_product(s.type):
            sizes = [s.type.elem.name, *map(self.size, s.type.dims)]
            self.out.add(f"(void)OPTIGPU_BYTES({', '.join(sizes)});")
        super().declaration(s)

    def loop(self, s: For) -> None:
        if s.mode in (Mode.THREAD, Mode.MAGIC_THREAD):
            raise input_error("OG500", "a thread loop has no counterpart in plain C", s.loc)
        if s.mode is Mode.PARALLEL and self.allocates(s.body, self.allocating):
            self.failing_loop(s)
        else:
            super().loop(s)

    def failing_loop(self, s: For) -> None:
        """No iteration of a parallel loop leaves it: each has a frame of its own, and what failed is said after the loop."""
        self.failing_loops += 1
        failed, frame = (f"optigpu_{word}_{self.failing_loops}" for word in ("lost", "frame"))
        self.out.add(f"int {failed} = 0;")
        for hint in self.pragmas(s):
            self.out.add(f"#pragma {hint}")
        self.out.add(f"for ({s.index_type.name} {self.loop_head(s.index, s.range)}) {{")
        self.out.depth += 1
        self.out.add(f"struct optigpu_frame {frame};")
        self.out.add(f"optigpu_enter(&{frame});")
        self.out.add(f"if (setjmp({frame}.end) == 0) {{")
        self.out.depth += 1
        self.body(s.body)
        self.out.add(f"optigpu_leave(&{frame});")
        self.out.depth -= 1
        self.out.add("} else {")
        self.out.extend((f"  optigpu_failed(&{frame});", "  #pragma omp atomic write", f"  {failed} = 1;"))
        self.out.add("}")
        self.out.depth -= 1
        self.out.add("}")
        self.out.add(f"if ({failed}) optigpu_fail();")

    def pragmas(self, s: For) -> list[str]:
        """GCC takes one pragma before a loop: OpenMP's matters more than how often to unroll."""
        found = super().pragmas(s)
        omp = [p for p in found if p.startswith("omp")]
        return omp or [f"GCC {p}" for p in found if p != "unroll"]


def callees_first(program: Program, names: Sequence[str]) -> list[Function]:
    """The functions of these names, in their order, each after those it calls: C takes a function that was not declared for
    one of other types. Included functions that nothing calls are not checked, so they are left out."""
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
    """The types and functions that a function's code mentions, as far as headers declare them."""
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
                words.add(INT64.name)
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
