"""Random programs with contracts that may or may not be true: what the checker verifies must never misbehave.

Bodies are loops over arrays with indices, bounds, guards and values that are often right and often slightly wrong. Contracts
promise either nothing about contents (then verification means: no access outside, no read of unwritten memory, no race, no leak) or
one of several guesses.
"""

from __future__ import annotations

from random import Random


class CheckedProgramMaker:
    def __init__(self, random: Random) -> None:
        self.r = random
        self.count = 0
        self.ints: list[str] = []
        self.floats: list[str] = []
        self.safe: list[str] = []  # indices that are within 0..n where they stand
        self.careful = random.choice([0.5, 0.9, 0.97])

    def pick(self, *options: str) -> str:
        return self.r.choice(options)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def program(self) -> str:
        r = self.r
        requires = ["A: int -> float, B: int -> float"]
        requires += r.sample(
            ["n > 0", "n >= 2", "n % 4 == 0", "n % 2 == 0", "n >= 4", "m > 0", "n == 2 * m", "m <= n", "n == m"],
            r.choice([0, 0, 1, 1, 2]),
        )
        clauses = [f'  __requires("{q}");' for q in requires]
        spec = self.spec()
        how_b = r.choice(["reads", "reads", "preserves"])
        if r.random() < 0.5:
            clauses.append('  __consumes("a ~> Matrix1(n, A)");')
            clauses.append(f'  __produces("a ~> {spec}");')
        else:
            clauses.append(
                f'  __writes("a ~> {spec}");'
                if "Matrix" in spec
                else '  __consumes("a ~> UninitMatrix1(n)"); __produces("a ~> Cells1(n)");'
            )
        clauses.append(f'  __{how_b}("b ~> Matrix1(n, B)");')
        self.ints = ["n", "m"]
        body = self.block(2, r.randint(1, 3), ["a", "b"], "  ")
        text = "\n".join(clauses)
        return f"void f(int n, int m, float a[n], float b[n]) {{\n{text}\n{body}}}\n"

    def spec(self) -> str:
        guesses = ["A(i)", "B(i)", "0", "i", "A(n - 1 - i)", "B(n - 1 - i)", "A(i) + B(i)", "2 * B(i)", "A(i) + 1",
                   "i % 2 == 0 ? 0 : A(i)", "i < m ? B(i) : A(i)", "Sum(k in 0..i + 1, B(k))", "Sum(k in 0..n, B(k))",
                   "Sum(k in 0..i, B(k))",
                   "max(A(i), B(i))", "A(i) < 0 ? 0 : A(i)"]  # fmt: skip
        if self.r.random() < 0.55:
            return "Cells1(n)"
        return f"Matrix1(n, fun i -> {self.r.choice(guesses)})"

    def block(self, depth: int, length: int, arrays: list[str], indent: str) -> str:
        ints, floats, safe = list(self.ints), list(self.floats), list(self.safe)
        arrays = list(arrays)
        out = "".join(self.statement(depth, arrays, indent) for _ in range(length))
        self.ints, self.floats, self.safe = ints, floats, safe
        return out

    def statement(self, depth: int, arrays: list[str], indent: str) -> str:
        r = self.r
        x = r.random()
        if depth > 0 and x < 0.5:
            return self.loop(depth, arrays, indent)
        if depth > 0 and x < 0.6:
            test, index = self.condition(arrays)
            safe = list(self.safe)
            self.safe += [index] * 4 if index else []
            inner = self.block(depth - 1, r.randint(1, 2), arrays, indent + "  ")
            self.safe = safe
            other = self.block(depth - 1, 1, arrays, indent + "  ") if r.random() < 0.3 else ""
            tail = f"{indent}}} else {{\n{other}{indent}}}\n" if other else f"{indent}}}\n"
            return f"{indent}if ({test}) {{\n{inner}{tail}"
        if x < 0.66:
            name = self.fresh("s")
            line = f"{indent}float {name} = {self.value(arrays)};\n"
            self.floats.append(name)
            return line
        if x < 0.72:
            name = self.fresh("t")
            if r.random() < 0.5:
                inner = self.block(depth - 1 if depth else 0, r.randint(1, 2), [*arrays, name], indent)
                free = f"{indent}free({name});\n" if r.random() < 0.85 else ""
                size = self.pick("n", "n", "m", "n + 1")
                return f"{indent}{{ float* const {name} = MALLOC1(float, {size});\n{inner}{free}{indent}}}\n"
            arrays.append(name)
            return f"{indent}float {name}[{self.pick('4', '8', 'n')}];\n"
        if self.floats and x < 0.82:
            name = r.choice(self.floats)
            return f"{indent}{name} {self.pick('=', '+=', '+=', '*=')} {self.value(arrays)};\n"
        target = f"{self.array(arrays)}[{self.index()}]"
        return f"{indent}{target} {self.pick('=', '=', '=', '+=')} {self.value(arrays)};\n"

    def loop(self, depth: int, arrays: list[str], indent: str) -> str:
        r = self.r
        i = self.fresh("i")
        heads = [
            (f"int {i} = 0; {i} < n; {i}++", [i, f"n - 1 - {i}"]),
            (f"int {i} = 0; {i} < n; {i}++", [i, f"n - 1 - {i}"]),
            (f"int {i} = 1; {i} < n; {i}++", [i, f"{i} - 1", f"n - {i}"]),
            (f"int {i} = 0; {i} < n - 1; {i}++", [i, f"{i} + 1"]),
            (f"int {i} = 1; {i} < n - 1; {i}++", [i, f"{i} + 1", f"{i} - 1"]),
            (f"int {i} = 0; {i} < n; {i} += 2", [i, f"{i} / 2"]),
            (f"int {i} = 1; {i} < n; {i} += 2", [i, f"{i} - 1"]),
            (f"int {i} = n - 1; {i} >= 0; {i}--", [i, f"n - 1 - {i}"]),
            (f"int {i} = n; {i} > 0; {i}--", [f"{i} - 1", f"n - {i}"]),
            (f"int {i} = 0; {i} < n / 2; {i}++", [i, f"2 * {i}", f"2 * {i} + 1", f"n - 1 - {i}"]),
            (f"int {i} = 0; {i} < n / 4; {i}++", [i, f"4 * {i} + 3"]),
            (f"int {i} = 0; {i} < (n + 3) / 4; {i}++", [i, f"4 * {i}"]),
            (f"int {i} = 0; {i} < m; {i}++", [i]),
            (f"int {i} = m; {i} < n; {i}++", [i]),
            (f"int {i} = 0; {i} <= n; {i}++", [i]),
            (f"int {i} = 0; {i} < 4; {i}++", [i]),
        ]
        head, indices = r.choice(heads)
        pragma = f"{indent}#pragma omp parallel for\n" if r.random() < 0.15 else ""
        ints, safe = list(self.ints), list(self.safe)
        self.ints.append(i)
        self.safe += indices * 2
        body = self.block(depth - 1, r.randint(1, 3), arrays, indent + "  ")
        self.ints, self.safe = ints, safe
        return f"{pragma}{indent}for ({head}) {{\n{body}{indent}}}\n"

    def array(self, arrays: list[str]) -> str:
        return self.r.choice(["a", "a", *arrays])

    def index(self) -> str:
        r = self.r
        if self.safe and r.random() < self.careful:
            return r.choice(self.safe)
        i = r.choice(self.ints)
        j = r.choice(self.ints)
        return r.choice(
            [
                i,
                i,
                i,
                i,
                f"n - 1 - {i}",
                f"{i} - 1",
                f"{i} + 1",
                f"2 * {i}",
                f"4 * {i} + {j}",
                f"{i} / 2",
                f"{i} % 4",
                "0",
                "n - 1",
                f"{i} % n",
            ]
        )

    def condition(self, arrays: list[str]) -> tuple[str, str]:
        """A test, and an index that it makes safe."""
        r = self.r
        i = r.choice(self.ints)
        j = self.pick(f"2 * {i}", f"{i} + 1", f"{i} - 1", f"4 * {i} + {r.choice(self.ints)}", i)
        return r.choice(
            [
                (f"0 <= {j} && {j} < n", j),
                (f"0 <= {j} && {j} < n", j),
                (f"{j} < n", j),
                (f"{i} > 0", ""),
                (f"{i} % 2 == 0", ""),
                (f"{i} < m", ""),
                (f"{self.read(arrays)} < 0.0f", ""),
            ]
        )

    def read(self, arrays: list[str]) -> str:
        return f"{self.r.choice(arrays)}[{self.index()}]"

    def value(self, arrays: list[str]) -> str:
        r = self.r
        options = [
            "0.0f",
            "1.0f",
            self.read(arrays),
            self.read(arrays),
            "b[" + self.index() + "]",
            f"(float){r.choice(self.ints)}",
        ]
        options += self.floats
        a, b = r.choice(options), r.choice(options)
        return r.choice([a, a, f"{a} + {b}", f"{a} * {b}", f"fmaxf({a}, {b})", f"2.0f * {a}", f"{a} + 1.0f"])
