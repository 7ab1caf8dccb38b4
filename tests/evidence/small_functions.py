"""Random small functions of numbers: every operator of the language on every type, loops of every step, calls, arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

INTEGERS = ("int", "int", "unsigned", "int64_t", "uint64_t", "uint8_t", "int8_t", "int16_t", "uint16_t", "bool")
FLOATS = ("float", "double")
RESULTS = ("int", "int", "int64_t", "unsigned", "bool", "float", "double")
LITERALS = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "-1",
    "-4",
    "2u",
    "4L",
    "0x1F",
    "255",
    "true",
    "65536",
    "2147483647",
    "3000000000",
)
HEADS = (
    "{t} {i} = {a}; {i} < {b}; {i}++",
    "{t} {i} = {a}; {i} <= {b}; {i} += {k}",
    "{t} {i} = {b}; {i} > {a}; {i}--",
    "{t} {i} = {b}; {i} >= {a} + 1; {i} -= {k}",
    "{t} {i} = {b}; {b} + 5 > {i}; ++{i}",
    "{t} {i} = {k} + 1; {i} < 8 * {b}; {i} *= 2",
    "{t} {i} = 4 * {b}; {i} > 0; {i} /= 2",
    "{t} {i} = {k}; {i} <= 9 * {b}; {i} <<= 1",
    "{t} {i} = 7 * {b}; {i} >= 1; {i} >>= 1",
    "{t} {i} = {a}; {i} < {b}; {i} = {i} + {k}",
)  # fmt: skip


@dataclass(frozen=True)
class SmallFunction:
    """A function with arguments: `above` is what it needs, `body` its statements."""

    name: str
    result: str
    params: tuple[tuple[str, str], ...]  # name and type
    arguments: tuple[Fraction, ...]
    above: str
    body: str

    def text(self, name: str, ensures: str = "") -> str:
        """The function with its arguments as precondition."""
        params = ", ".join(f"{t} {n}" for n, t in self.params)
        needs = " && ".join(
            f"{n} == {literal(v, t)}" for (n, t), v in zip(self.params, self.arguments)
        )  # fmt: skip
        post = f'  __ensures("{ensures}");\n' if ensures else ""
        return f'{self.result} {name}({params}) {{\n  __requires("{needs}");\n{post}{self.body}}}\n'

    def call(self) -> str:
        """In C, with arguments that the compiler does not know."""
        copies = "".join(f"volatile {t} {n} = {literal(v, t)}; " for (n, t), v in zip(self.params, self.arguments))
        return f"{copies}{self.result} result = {self.name}({', '.join(n for n, _ in self.params)});"


def literal(value: Fraction, type_: str) -> str:
    if type_ == "bool":
        return "true" if value else "false"
    if type_ in FLOATS:
        return f"{float(value)}{'f' if type_ == 'float' else ''}"
    return str(int(value))


class SmallFunctionMaker:
    def __init__(self, r: Random, number: int) -> None:
        self.r = r
        self.number = number
        self.types: dict[str, str] = {}
        self.variables: list[str] = []  # that can be assigned
        self.arrays: dict[str, tuple[str, int]] = {}
        self.macros: list[str] = []
        self.above: list[str] = []
        self.lines: list[str] = []
        self.names = 0

    def make(self) -> SmallFunction:
        r = self.r
        for _ in range(r.randint(0, 2)):
            self.macro()
        params = tuple((self.fresh("p"), r.choice((*INTEGERS, *INTEGERS, *FLOATS))) for _ in range(r.randint(1, 4)))
        self.types.update(params)
        arguments = tuple(self.argument(t) for _, t in params)
        statements = [self.declaration, self.declaration, self.assignment, self.branch, self.array, self.element]
        statements += [self.loop, self.filled, self.called, self.written, self.row]
        self.declaration("  ")
        for _ in range(r.randint(1, 4)):
            r.choice(statements)("  ")
        result = r.choice(RESULTS)
        value = self.number_of(3) if result in (*FLOATS, "bool") else self.whole(3)
        body = "\n".join([*self.lines, f"  return {value};"])
        name = f"f{self.number}"
        return SmallFunction(name, result, params, arguments, "".join(self.above), body + "\n")

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def argument(self, type_: str) -> Fraction:
        r = self.r
        if type_ == "bool":
            return Fraction(r.randint(0, 1))
        if type_ in FLOATS:
            return Fraction(r.randint(-12, 12), r.choice([1, 1, 2, 4]))
        signed = not type_.startswith("u")
        wide = {"int8_t": 127, "uint8_t": 255, "int16_t": 32767, "uint16_t": 65535}.get(type_, 100_000)
        top = wide if r.random() < 0.15 else 9
        return Fraction(r.randint(-top if signed else 0, top))

    # Expressions

    def whole(self, depth: int) -> str:
        """An integer expression."""
        r = self.r
        if depth == 0 or r.random() < 0.15:
            return self.whole_leaf()
        a, b = (lambda: self.whole(depth - 1)), (lambda: self.whole(depth - 1))
        small = r.choice(["1", "2", "3", "7"])
        ways: list[Callable[[], str]] = [
            lambda: f"({a()} {r.choice('+-*')} {b()})",
            lambda: f"({a()} {r.choice('+-')} {b()})",
            lambda: f"({a()} {r.choice('/%')} {r.choice(['2', '3', '-2', '-3', '7', '4u', '5L'])})",
            lambda: f"({a()} {r.choice('/%')} {b()})",
            lambda: f"(max(0, {a()}) {r.choice(['&', '|', '^'])} abs({b()}))",
            lambda: f"({self.whole_leaf()} {r.choice(['&', '|', '^'])} abs({self.whole_leaf()}))",
            lambda: f"(max({a()}, 0) {r.choice(['<<', '>>'])} {small})",
            lambda: f"({self.whole_leaf()} {r.choice(['<<', '>>'])} {self.whole_leaf()})",
            self.chain,
            self.chain,
            lambda: self.test(depth - 1),
            lambda: f"({self.test(depth - 1)} ? {a()} : {b()})",
            lambda: f"(({r.choice(INTEGERS)}){self.number_of(depth - 1)})",
            lambda: f"{r.choice(['min', 'max'])}({a()}, {b()})",
            lambda: f"abs({a()})",
            lambda: f"{r.choice(['-(int)', '-(int64_t)', '-', '-', '~'])}({a()})",
            lambda: f"{a()} {r.choice('+-*/%')} {self.whole_leaf()}",
            lambda: f"exact_div({a()} * {small}, {small})",
        ]
        return r.choice(ways)()

    def chain(self) -> str:
        """Operators that only their precedence orders."""
        r = self.r
        operators = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]
        prefixes = ["", "", "", "", "", "!", "-", "- -", "!!", "(int)", "(uint8_t)", "(bool)", "-(int)"]

        def operands(count: int) -> str:
            terms = [r.choice(prefixes) + r.choice([self.whole_leaf(), r.choice("01234567")]) for _ in range(count)]
            return "".join(t + (f" {r.choice(operators)} " if i + 1 < count else "") for i, t in enumerate(terms))

        if r.random() < 0.3:
            return f"({operands(2)} ? {operands(2)} : {operands(1)} ? {operands(1)} : {operands(2)})"
        return f"({operands(r.randint(3, 5))})"

    def whole_leaf(self) -> str:
        r = self.r
        known = [n for n, t in self.types.items() if t not in FLOATS]
        elements = [f"{a}[{r.randrange(n)}]" for a, (t, n) in self.arrays.items() if t not in FLOATS]
        pools = [p for p in (known, known[-3:], known[-2:], elements, self.macros) if p]
        return r.choice(r.choice([*pools, r.choice([LITERALS, LITERALS[:8]])]))

    def test(self, depth: int) -> str:
        r = self.r
        ways: list[Callable[[], str]] = [
            lambda: f"({self.number_of(depth)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.number_of(depth)})",
            lambda: f"({self.whole(depth)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.whole(depth)})",
            lambda: f"({self.test(depth - 1)} {r.choice(['&&', '||'])} {self.test(depth - 1)})",
            lambda: f"!{self.test(depth - 1)}",
            lambda: f"!({self.number_of(depth - 1)})",
            lambda: f"({self.number_of(depth - 1)} && {self.whole_leaf()})",
        ]
        return r.choice(ways if depth > 0 else ways[:2])() if depth >= 0 else self.whole_leaf()

    def real(self, depth: int) -> str:
        """A float expression, exact for small numbers."""
        r = self.r
        floats = [n for n, t in self.types.items() if t in FLOATS]
        floats += [f"{a}[{r.randrange(n)}]" for a, (t, n) in self.arrays.items() if t in FLOATS]
        if depth <= 0 or r.random() < 0.2:
            return r.choice([*floats, *floats, "0.5f", "-1.25", "2.0f", "3.0"])
        a, b = (lambda: self.real(depth - 1)), (lambda: self.number_of(depth - 1))
        ways: list[Callable[[], str]] = [
            lambda: f"({a()} {r.choice('+-*')} {b()})",
            lambda: f"({b()} {r.choice('+-')} {a()})",
            lambda: f"({a()} / {r.choice(['2', '4.0f', '-0.5', '8'])})",
            lambda: f"({self.test(depth - 1)} ? {a()} : {b()})",
            lambda: f"(({r.choice(FLOATS)}){b()})",
            lambda: f"{r.choice(['fmax', 'fmin', 'fmaxf', 'fminf', 'min', 'max'])}({a()}, {b()})",
            lambda: f"{r.choice(['fabs', 'fabsf', 'floor', 'ceil', 'floorf', 'ceilf', 'abs', '-'])}({a()})",
            lambda: f"fma({a()}, {b()}, {a()})",
        ]
        return r.choice(ways)()

    def number_of(self, depth: int) -> str:
        return self.real(depth) if self.r.random() < 0.3 else self.whole(max(depth, 0))

    # Statements

    def macro(self) -> None:
        r = self.r
        name = f"M{self.number}_{len(self.macros)}"
        first = r.choice([*self.macros, "3"])
        value = r.choice(
            ["5", "(-3)", "200", f"({first} * 4 - 1)", "(1 << 4)", "(17 / 5)", "40u", "(-7 % 4)", "((int)9)"]
        )
        self.above.append(f"#define {name} {value}\n")
        self.macros.append(name)

    def value_for(self, type_: str, depth: int = 2) -> str:
        if type_ in FLOATS:
            return self.number_of(depth)
        return self.test(depth) if type_ == "bool" and self.r.random() < 0.7 else self.whole(depth)

    def declaration(self, indent: str) -> None:
        type_ = self.r.choice((*INTEGERS, *FLOATS))
        value, name = self.value_for(type_), self.fresh("v")
        const = self.r.random() < 0.2
        self.lines.append(f"{indent}{'const ' * const}{type_} {name} = {value};")
        self.types[name] = type_
        if not const:
            self.variables.append(name)

    def assignment(self, indent: str) -> None:
        r = self.r
        if not self.variables:
            return
        name = r.choice(self.variables)
        type_ = self.types[name]
        if type_ in FLOATS:
            value = f"{r.choice(['=', '+=', '-=', '*='])} {self.number_of(2)}"
            self.lines.append(f"{indent}{name} {r.choice([value, value, '/= 2'])};")
        elif type_ == "bool":
            text = f"{name} {r.choice(['=', '=', '+=', '-=', '*='])} {self.value_for(type_)}"
            self.lines.append(f"{indent}{r.choice([text, text, text, f'{name}++', f'--{name}'])};")
        else:
            op = r.choice(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"])
            value = r.choice(["1", "2", "3"]) if op in ("<<=", ">>=", "/=", "%=") else self.whole(2)
            text = {"++": r.choice([f"{name}++", f"++{name}"]), "--": r.choice([f"{name}--", f"--{name}"])}
            self.lines.append(f"{indent}{text.get(op, f'{name} {op} {value}')};")

    def branch(self, indent: str) -> None:
        self.lines.append(f"{indent}if ({self.test(1)}) {{")
        self.assignment(indent + "  ")
        if self.r.random() < 0.6:
            self.lines.append(f"{indent}}} else {{")
            self.assignment(indent + "  ")
        self.lines.append(f"{indent}}}")

    def array(self, indent: str) -> None:
        r = self.r
        type_, size = r.choice((*INTEGERS, *FLOATS)), r.randint(1, 4)
        values = [self.value_for(type_, 1) for _ in range(r.randint(1, size))]
        name = self.fresh("t")
        self.lines.append(f"{indent}{type_} {name}[{size}] = {{{', '.join(values)}}};")
        self.arrays[name] = (type_, size)

    def element(self, indent: str) -> None:
        if not self.arrays:
            return
        name = self.r.choice(list(self.arrays))
        type_, size = self.arrays[name]
        op = "=" if type_ == "bool" else self.r.choice(["=", "+=", "-="])
        self.lines.append(f"{indent}{name}[abs({self.whole_leaf()}) % {size}] {op} {self.value_for(type_, 1)};")

    def head(self, index: str) -> str:
        r = self.r
        type_ = r.choice(["int", "int", "int64_t", "unsigned"])
        low, high, step = r.randint(-2 if type_.startswith("i") else 0, 1), r.randint(1, 5), r.randint(1, 3)
        self.types[index] = type_
        if type_ == "unsigned":  # down by more than 1 is not in the language: it may never end
            step = 1
        return r.choice(HEADS).format(t=type_, i=index, a=low, b=high, k=step)

    def loop(self, indent: str) -> None:
        """One that sums something up."""
        r = self.r
        sums = [v for v in self.variables if self.types[v] not in ("bool", "uint8_t", "int8_t")]
        if not sums:
            return
        into, index = r.choice(sums), self.fresh("i")
        hidden = self.types.pop(into)  # or it would explode
        self.lines.append(f"{indent}for ({self.head(index)}) {{")
        if r.random() < 0.3:
            self.lines.append(f"{indent}  if ({self.test(1)}) continue;")
        value = self.value_for(hidden, 1)
        self.lines.append(
            f"{indent}  {r.choice([f'{into} += {value}', f'{into} = {into} + {value}', f'{into} -= {index}'])};"
        )
        self.lines.append(f"{indent}}}")
        del self.types[index]
        self.types[into] = hidden

    def filled(self, indent: str) -> None:
        """An array that a loop fills."""
        r = self.r
        type_, size, name, index = (
            r.choice(["int", "int64_t", "float", "int16_t"]),
            r.randint(2, 4),
            self.fresh("t"),
            self.fresh("i"),
        )
        head = (
            f"int {index} = 0; {index} < {size}; {index}++"
            if r.random() < 0.5
            else f"int {index} = {size - 1}; {index} >= 0; --{index}"
        )
        self.types[index] = "int"
        self.lines += [
            f"{indent}{type_} {name}[{size}];",
            f"{indent}for ({head}) {name}[{index}] = {self.value_for(type_)};",
        ]
        del self.types[index]
        self.arrays[name] = (type_, size)

    # Calls

    def simple(self, depth: int) -> str:
        """An expression that is a formula, too: of the integers x and y."""
        r = self.r
        if depth == 0:
            return r.choice(["x", "y", "x", "y", "2", "-3", "7"])
        a, b = self.simple(depth - 1), self.simple(depth - 1)
        return r.choice([
            f"({a} {r.choice('+-*')} {b})", f"({a} {r.choice('/%')} {r.choice(['2', '3', '-3', '-4'])})",
            f"({a} < {b} ? {b} : {a})", f"{r.choice(['min', 'max'])}({a}, {b})", f"abs({a})", f"-({a})",
            f"({a} != {b} || x > {b} ? {a} : y)", f"({a} <= {b} && y < 3 ? 1 : {b})",
            f"({a} - {b} - y)", f"({a} / 2 % 3)", f"({a} * 3 / 2)", f"(!(x < {b}) ? {a} : 4)",
        ])  # fmt: skip

    def called(self, indent: str) -> None:
        """By value: the arguments and the result are converted."""
        r = self.r
        name, value, result = f"g{self.number}_{self.fresh('')}", self.simple(2), r.choice(["int", "int64_t"])
        x, y = r.choice(["int", "int64_t", "int16_t"]), r.choice(["int", "int8_t", "int64_t"])
        self.above.append(f'{result} {name}({x} x, {y} y) {{\n  __ensures("_Res == {value}");\n  return {value};\n}}\n')
        arguments, into = f"{self.whole(1)}, {self.whole(1)}", self.fresh("v")
        self.lines.append(f"{indent}{result} {into} = {name}({arguments});")
        self.types[into] = result
        self.variables.append(into)

    def written(self, indent: str) -> None:
        """Through a pointer, with an early return."""
        r = self.r
        name, value, other = f"w{self.number}_{self.fresh('')}", self.simple(1), self.simple(1)
        test = r.choice(["x > y", "x % 2 == 1", "x / 2 != y", "x < 0 || y < 0"])
        ways = [
            f"  if ({test}) {{\n    p[0] = {value};\n    return;\n  }}\n  p[0] = {other};",
            f"  p[0] = {value};\n  if ({test}) return;\n  p[0] = {other};",
            f"  if ({test}) p[0] = {value};\n  else p[0] = {other};",
        ]
        self.above.append(
            f'void {name}(int x, int y, int* p) {{\n  __writes("p ~~> ({test} ? {value} : {other})");\n{r.choice(ways)}\n}}\n'
        )
        table, size = self.fresh("t"), r.randint(1, 3)
        at = r.randrange(size)
        self.lines += [
            f"{indent}int {table}[{size}] = {{0}};",
            f"{indent}{name}({self.whole(1)}, {self.whole_leaf()}, {r.choice([f'&{table}[{at}]', f'{table} + {at}'])});",
        ]
        self.arrays[table] = ("int", size)

    def row(self, indent: str) -> None:
        """A part of an array: a row, or from an element on."""
        r = self.r
        name, table, into = f"s{self.number}_{self.fresh('')}", self.fresh("t"), self.fresh("v")
        term = r.choice(["X(k)", "X(k) * k", "(k % 2 == 0 ? X(k) : -X(k))"])
        code = term.replace("X(k)", "x[k]")
        self.above.append(
            f'int {name}(int n, int x[n]) {{\n  __requires("X: int -> int");\n'
            f'  __reads("x ~> Matrix1(n, X)");\n  __ensures("_Res == Sum(k in 0..n, {term})");\n'
            f"  int sum = 0;\n  for (int k = 0; k < n; k++) sum += {code};\n  return sum;\n}}\n"
        )
        rows, columns = r.randint(1, 3), r.randint(2, 4)
        flat = r.random() < 0.5
        start = r.randrange(columns)
        self.types.update(i="int", j="int")
        value = self.whole(1)
        del self.types["i"], self.types["j"]
        if flat:
            value = value.replace("j", "i")
            self.lines += [
                f"{indent}int {table}[{columns}];",
                f"{indent}for (int i = 0; i < {columns}; i++) {table}[i] = {value};",
            ]
            part = f"{columns - start}, {r.choice([f'&{table}[{start}]', f'{table} + {start}'])}"
        else:
            self.lines += [
                f"{indent}int {table}[{rows}][{columns}];",
                f"{indent}for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++) {table}[i][j] = {value};",
            ]
            part = f"{columns}, {table}[{r.randrange(rows)}]"
        self.lines.append(f"{indent}int {into} = {name}({part});")
        self.types[into] = "int"
        self.variables.append(into)
