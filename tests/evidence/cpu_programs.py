"""Random programs for the CPU that are right by construction: each phase changes arrays in a way whose result is known.

What is generated is right unless the generator is told to guess; mutations (mutations.py) make it nearly right.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Spec = Callable[[str], str]  # what an array holds at an index
Spec2 = Callable[[str, str], str]

HELPERS = {
    "scale": """void scale(int k, float s, float x[k]) {
  __requires("X: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __produces("x ~> Matrix1(k, fun i -> s * X(i))");
  for (int i = 0; i < k; i++) x[i] = s * x[i];
}
""",
    "fill": """void fill(int k, float s, float x[k]) {
  __writes("x ~> Matrix1(k, fun i -> s)");
  for (int i = k - 1; i >= 0; i--) x[i] = s;
}
""",
    "add_to": """void add_to(int k, float x[k], float y[k]) {
  __requires("X: int -> float, Y: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __reads("y ~> Matrix1(k, Y)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + Y(i))");
  for (int i = 0; i < k; i++) x[i] += y[i];
}
""",
    "total": """float total(int k, float x[k]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(k, X)");
  __ensures("_Res == Sum(i in 0..k, X(i))");
  float s = 0.0f;
  for (int i = 0; i < k; i++) s += x[i];
  return s;
}
""",
}


class CpuMaker:
    def __init__(self, random: Random) -> None:
        self.r = random
        self.count = 0
        self.helpers: set[str] = set()
        self.requires: set[str] = set()
        self.exact = True  # the specification says what the arrays hold

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def program(self) -> str:
        kind = self.r.choice(["vectors", "vectors", "vectors", "matrices", "matrices", "result", "gather"])
        text: str = getattr(self, kind)()
        used = sorted(h for h in HELPERS if f"{h}(" in text)
        return "".join(HELPERS[h] for h in used) + text

    def helper(self, name: str) -> str:
        self.helpers.add(name)
        return name

    # Vectors

    def vectors(self) -> str:
        r = self.r
        self.specs: dict[str, Spec | None] = {
            "a": lambda i: f"A({i})",
            "b": lambda i: f"B({i})",
            "c": None,
        }
        body = "".join(self.phase(["a", "c"]) for _ in range(r.randint(1, 2)))
        if self.specs["c"] is None:
            body += self.map("c", "n")
        return self.function(
            "void f(int n, int m, float a[n], float b[n], float c[n])",
            ["A: int -> float, B: int -> float"],
            [
                ("consumes", "a ~> Matrix1(n, A)"),
                ("reads", "b ~> Matrix1(n, B)"),
                ("consumes", "c ~> UninitMatrix1(n)"),
                ("produces", self.claim("a", "a")),
                ("produces", self.claim("c", "c")),
            ],
            body,
        )

    def claim(self, base: str, name: str) -> str:
        spec = self.specs[name]
        how = self.r.random()
        if spec is None or not self.exact or how < 0.3:
            return f"{base} ~> Cells1(n)"
        if how < 0.4:
            guesses = ["A(i)", "B(i)", "0", "A(i) + B(i)", "A(n - 1 - i)", "i < m ? A(i) : B(i)"]
            return f"{base} ~> Matrix1(n, fun i -> {self.r.choice(guesses)})"
        if how < 0.55:
            return f"for i in 0..n -> &{base}[i] ~~> {spec('i')}"
        if how < 0.65:
            return f"for i in 0..n -> If(i < m, &{base}[i] ~~> {spec('i')}) * If(i >= m, &{base}[i] ~> Cell)"
        return f"{base} ~> Matrix1(n, fun i -> {spec('i')})"

    def function(self, head: str, logic: list[str], clauses: list[tuple[str, str]], body: str) -> str:
        lines = [f'  __requires("{q}");' for q in [*logic, *sorted(self.requires)]]
        lines += [f'  __{kind}("{what}");' for kind, what in clauses]
        return f"{head} {{\n" + "\n".join(lines) + f"\n{body}}}\n"

    def phase(self, targets: list[str]) -> str:
        r = self.r
        x = r.choice(targets)
        known = [n for n, s in self.specs.items() if s is not None]
        kinds = ["map", "map", "map", "temporary", "reverse", "prefix", "split", "table", "call_fill"]
        if self.specs[x] is not None:
            kinds += ["call_scale", "call_add", "repeat", "update", "update"]
        return {
            "map": lambda: self.map(x, "n"),
            "update": lambda: self.map(x, "n", update=True),
            "temporary": lambda: self.temporary(x),
            "reverse": lambda: self.reverse(x, r.choice([n for n in known if n != x])),
            "prefix": lambda: self.prefix(x, r.choice([n for n in known if n != x])),
            "split": lambda: self.split(x),
            "table": lambda: self.table(x),
            "repeat": lambda: self.repeat(x),
            "call_fill": lambda: self.call_fill(x),
            "call_scale": lambda: self.call_scale(x),
            "call_add": lambda: self.call_add(x),
        }[r.choice(kinds)]()

    def value(self, i: str, x: str) -> tuple[str, Spec]:
        """An expression over what is known at index i, and what it is. Only x's own cell may be read of x."""
        r = self.r
        atoms: list[tuple[str, Spec]] = [("1.0f", lambda j: "1"), (f"(float)({i})", lambda j: f"({j})")]
        for n, s in self.specs.items():
            if s is not None:
                atoms += [(f"{n}[{i}]", s)] * 3
                if n != x:
                    atoms.append((f"{n}[n - 1 - {i}]", lambda j, s=s: s(f"(n - 1 - {j})")))
        (a, sa), (b, sb) = r.choice(atoms), r.choice(atoms)
        options: list[tuple[str, Spec]] = [
            (
                f"({i} + 1 < n && b[{i} + 1] > 0.0f ? b[{i} + 1] : {a})",
                lambda j: f"({j} + 1 < n && B({j} + 1) > 0 ? B({j} + 1) : {sa(j)})",
            ),
            (
                f"({i} == 0 || b[{i} - 1] < 1.0f ? {a} : b[{i} - 1])",
                lambda j: f"({j} == 0 || B({j} - 1) < 1 ? {sa(j)} : B({j} - 1))",
            ),
            (f"{a} / 2.0f", lambda j: f"{sa(j)} / 2"),
            (f"(float)(({i} - 3) / 2)", lambda j: f"(({j} - 3) / 2)"),
            (f"(float)(({i} - 3) % 2)", lambda j: f"(({j} - 3) % 2)"),
        ]
        if r.random() < 0.2:
            return r.choice(options)
        return r.choice(
            [
                (a, sa),
                (f"{a} + {b}", lambda j: f"({sa(j)} + {sb(j)})"),
                (f"{a} - {b}", lambda j: f"({sa(j)} - {sb(j)})"),
                (f"2.0f * {a}", lambda j: f"2 * {sa(j)}"),
                (f"{a} * {b}", lambda j: f"({sa(j)} * {sb(j)})"),
                (f"fmaxf({a}, {b})", lambda j: f"max({sa(j)}, {sb(j)})"),
                (f"({i} % 2 == 0 ? {a} : {b})", lambda j: f"({j} % 2 == 0 ? {sa(j)} : {sb(j)})"),
            ]
        )

    def over(self, statement: Callable[[str], str], n: str) -> str:
        """A loop, or loops, over all indices in 0..n, each once."""
        r, i, t = self.r, self.fresh("i"), self.fresh("t")
        pragma = "  #pragma omp parallel for\n" if r.random() < 0.2 else ""
        shape = r.choice(["up", "up", "up", "down", "from one", "strides", "tiles", "guarded", "halves", "early"])
        match shape:
            case "up":
                return f"{pragma}  for (int {i} = 0; {i} < {n}; {i}++) {{ {statement(i)} }}\n"
            case "down":
                return f"{pragma}  for (int {i} = {n} - 1; {i} >= 0; {i}--) {{ {statement(i)} }}\n"
            case "from one":
                return f"{pragma}  for (int {i} = 1; {i} <= {n}; {i}++) {{ {statement(f'({i} - 1)')} }}\n"
            case "strides":
                k = r.choice([2, 3])
                starts = list(range(k))
                r.shuffle(starts)
                return "".join(
                    f"{pragma}  for (int {i} = {s}; {i} < {n}; {i} += {k}) {{ {statement(i)} }}\n" for s in starts
                )
            case "tiles":
                self.requires.add("n % 4 == 0")
                inner = f"for (int {i} = 0; {i} < 4; {i}++) {{ {statement(f'(4 * {t} + {i})')} }}"
                return f"{pragma}  for (int {t} = 0; {t} < exact_div({n}, 4); {t}++) {{ {inner} }}\n"
            case "guarded":
                at = f"(4 * {t} + {i})"
                inner = f"for (int {i} = 0; {i} < 4; {i}++) {{ if ({at} < {n}) {{ {statement(at)} }} }}"
                return f"{pragma}  for (int {t} = 0; {t} < ({n} + 3) / 4; {t}++) {{ {inner} }}\n"
            case "early":
                inner = f"if ({i} >= {n}) continue; {statement(i)}"
                return f"{pragma}  for (int {i} = 0; {i} < {n} + 3; {i}++) {{ {inner} }}\n"
            case _:
                first = f"  for (int {i} = 0; {i} < {n} / 2; {i}++) {{ {statement(i)} }}\n"
                return pragma + first + f"  for (int {i} = {n} / 2; {i} < {n}; {i}++) {{ {statement(i)} }}\n"

    def map(self, x: str, n: str, update: bool = False) -> str:
        old = self.specs[x]
        spec: list[Spec] = []
        state = self.r.getstate()

        def statement(i: str) -> str:
            after = self.r.getstate()
            self.r.setstate(state)  # the same expression in each of the loops
            e, s = self.value(i, x)
            self.r.setstate(after)
            spec.append(s)
            return f"{x}[{i}] {'+=' if update else '='} {e};"

        code = self.over(statement, n)
        s = spec[0]
        self.specs[x] = (lambda j: f"({old(j)} + {s(j)})") if update and old is not None else s
        return code

    def reverse(self, x: str, y: str) -> str:
        s = self.specs[y]
        assert s is not None
        code = self.over(lambda i: f"{x}[n - 1 - {i}] = {y}[{i}];", "n")
        self.specs[x] = lambda j: s(f"(n - 1 - {j})")
        return code

    def prefix(self, x: str, y: str) -> str:
        s, t, i = self.specs[y], self.fresh("s"), self.fresh("i")
        assert s is not None
        last = self.r.random() < 0.5
        steps = f"{t} += {y}[{i}];", f"{x}[{i}] = {t};"
        body = " ".join(steps if last else steps[::-1])
        self.specs[x] = lambda j: f"Sum(k{i} in 0..{j} + {int(last)}, {s(f'k{i}')})"
        return f"  float {t} = 0.0f;\n  for (int {i} = 0; {i} < n; {i}++) {{ {body} }}\n"

    def split(self, x: str) -> str:
        """The first m cells in one way, the others in another."""
        self.requires.add("0 <= m && m <= n")
        i, old = self.fresh("i"), dict(self.specs)
        (e1, s1), (e2, s2) = self.value(i, x), self.value(i, x)
        self.specs = {**old, x: lambda j: f"({j} < m ? {s1(j)} : {s2(j)})"}
        how = self.r.random()
        if how < 0.3:
            return f"  for (int {i} = 0; {i} < n; {i}++) {{ if ({i} < m) {{ {x}[{i}] = {e1}; }} else {{ {x}[{i}] = {e2}; }} }}\n"
        if how < 0.5:
            return f"  for (int {i} = 0; {i} < n; {i}++) {{ const float v = {i} < m ? {e1} : {e2}; {x}[{i}] = v; }}\n"
        return (
            f"  for (int {i} = 0; {i} < m; {i}++) {{ {x}[{i}] = {e1}; }}\n"
            f"  for (int {i} = m; {i} < n; {i}++) {{ {x}[{i}] = {e2}; }}\n"
        )

    def temporary(self, x: str) -> str:
        t = self.fresh("t")
        self.specs[t] = None
        heap = self.r.random() < 0.7
        code = f"  float* const {t} = MALLOC1(float, n);\n" if heap else f"  float {t}[n];\n"
        if not heap:
            self.requires.add("n >= 0")
        code += self.map(t, "n") + self.map(x, "n")
        del self.specs[t]
        return code + (f"  free({t});\n" if heap else "")

    def table(self, x: str) -> str:
        t, i, k = self.fresh("t"), self.fresh("i"), self.r.choice([2, 3, 4])
        self.specs[x] = lambda j: f"2 * ({j} % {k})"
        fill = f"for (int {i} = 0; {i} < {k}; {i}++) {{ {t}[{i}] = 2.0f * {i}; }}"
        return f"  float {t}[{k}];\n  {fill}\n" + self.over(lambda j: f"{x}[{j}] = {t}[{j} % {k}];", "n")

    def repeat(self, x: str) -> str:
        s, q, i = self.specs[x], self.fresh("q"), self.fresh("i")
        assert s is not None
        inner = f"for (int {i} = 0; {i} < n; {i}++) {{ {x}[{i}] += 1.0f; }}"
        if self.r.random() < 0.5:
            times = self.r.randint(0, 3)
            self.specs[x] = lambda j: f"({s(j)} + {times})"
            return f"  for (int {q} = 0; {q} < {times}; {q}++) {{ {inner} }}\n"
        self.requires.add("m >= 0")
        self.specs[x] = lambda j: f"({s(j)} + m)"
        return f"  for (int {q} = 0; {q} < m; {q}++) {{ {inner} }}\n"

    def call_fill(self, x: str) -> str:
        fill = self.helper("fill")
        if self.r.random() < 0.5:
            self.specs[x] = lambda j: "3"
            return f"  {fill}(n, 3.0f, {x});\n"
        self.requires.add("0 <= m && m <= n")
        self.specs[x] = lambda j: f"({j} < m ? 1 : 2)"
        calls = [f"  {fill}(m, 1.0f, {x});\n", f"  {fill}(n - m, 2.0f, &{x}[m]);\n"]
        self.r.shuffle(calls)
        return "".join(calls)

    def call_scale(self, x: str) -> str:
        s, scale = self.specs[x], self.helper("scale")
        assert s is not None
        if self.r.random() < 0.5:
            self.specs[x] = lambda j: f"2 * {s(j)}"
            return f"  {scale}(n, 2.0f, {x});\n"
        self.requires.add("0 <= m && m <= n")
        self.specs[x] = lambda j: f"({j} < m ? {s(j)} : 2 * {s(j)})"
        return f"  {scale}(n - m, 2.0f, &{x}[m]);\n"

    def call_add(self, x: str) -> str:
        s, add = self.specs[x], self.helper("add_to")
        y = self.r.choice([n for n, t in self.specs.items() if t is not None and n != x])
        t = self.specs[y]
        assert s is not None and t is not None
        self.specs[x] = lambda j: f"({s(j)} + {t(j)})"
        return f"  {add}(n, {x}, {y});\n"

    # A result

    def result(self) -> str:
        """A number computed from an array."""
        r = self.r
        i, t = self.fresh("i"), self.fresh("t")
        body, spec = r.choice(
            [
                ("s += a[I];", "Sum(k in 0..n, A(k))"),
                ("s += a[I] * b[I];", "Sum(k in 0..n, A(k) * B(k))"),
                ("s += a[I] * b[n - 1 - I];", "Sum(k in 0..n, A(k) * B(n - 1 - k))"),
                ("if (I % 2 == 0) { s += a[I]; }", "Sum(k in 0..n, k % 2 == 0 ? A(k) : 0)"),
                ("s = fmaxf(s, a[I]);", "max(0, Max(k in 0..n, A(k)))"),
                ("s += 1.0f;", "n"),
            ]
        )
        self.requires.add("n > 0" if "Max" in spec else "n >= 0")
        if r.random() < 0.15:
            return self.function(
                "float f(int n, float a[n], float b[n])",
                ["A: int -> float, B: int -> float"],
                [
                    ("reads", "a ~> Matrix1(n, A)"),
                    ("reads", "b ~> Matrix1(n, B)"),
                    ("ensures", "_Res == Sum(k in 0..n, A(k))"),
                ],
                f"  const float s = {self.helper('total')}(n, a);\n  return s;\n",
            )
        shape = r.choice(["up", "up", "down", "tiles", "columns", "guarded", "halves"])
        match shape:
            case "up":
                loop = f"for (int {i} = 0; {i} < n; {i}++) {{ {body.replace('I', i)} }}"
            case "down":
                loop = f"for (int {i} = n; {i} > 0; {i}--) {{ {body.replace('I', f'({i} - 1)')} }}"
            case "tiles" | "columns":
                self.requires.add("n % 4 == 0")
                outer = f"for (int {t} = 0; {t} < exact_div(n, 4); {t}++)"
                inner = f"for (int {i} = 0; {i} < 4; {i}++)"
                heads = f"{outer} {inner}" if shape == "tiles" else f"{inner} {outer}"
                loop = f"{heads} {{ {body.replace('I', f'(4 * {t} + {i})')} }}"
            case "guarded":
                at = f"(4 * {t} + {i})"
                inner = f"for (int {i} = 0; {i} < 4; {i}++) {{ if ({at} < n) {{ {body.replace('I', at)} }} }}"
                loop = f"for (int {t} = 0; {t} < (n + 3) / 4; {t}++) {{ {inner} }}"
            case _:
                loop = (
                    f"for (int {i} = 0; {i} < n / 2; {i}++) {{ {body.replace('I', i)} }}\n"
                    f"  for (int {i} = n / 2; {i} < n; {i}++) {{ {body.replace('I', i)} }}"
                )
        return self.function(
            "float f(int n, float a[n], float b[n])",
            ["A: int -> float, B: int -> float"],
            [("reads", "a ~> Matrix1(n, A)"), ("reads", "b ~> Matrix1(n, B)"), ("ensures", f"_Res == {spec}")],
            f"  float s = 0.0f;\n  {loop}\n  return s;\n",
        )

    # Indices in memory

    def gather(self) -> str:
        """Indices that are read from memory: reads through them, counts, and (one iteration after the other) writes."""
        r = self.r
        inside = "forall i in 0..n -> 0 <= K(i) && K(i) < m"
        if r.random() < 0.8:
            self.requires.add(inside)
        kind, spec = r.choice(
            [
                ("for (int i = 0; i < n; i++) c[i] = b[key[i]];", "fun i -> B(K(i))"),
                ("for (int i = n - 1; i >= 0; i--) c[i] = 2.0f * b[key[i]];", "fun i -> 2 * B(K(i))"),
                ("for (int i = 0; i < n; i++) { const int j = key[i]; if (j < m - 1) { c[i] = b[j + 1]; } else { c[i] = b[j]; } }",
                 "fun i -> B(K(i) < m - 1 ? K(i) + 1 : K(i))"),
                ("for (int i = 0; i < n; i++) { const int j = key[i] / 2; c[i] = b[j]; }", "fun i -> B(K(i) / 2)"),
                ("for (int i = 0; i < n; i++) { const int j = key[i] % 2; c[i] = j; }", "fun i -> K(i) % 2"),
            ]
        )  # fmt: skip
        pragma = "  #pragma omp parallel for\n" if r.random() < 0.3 else ""
        claim = f"c ~> Matrix1(n, {spec})" if r.random() < 0.7 else "c ~> Cells1(n)"
        return self.function(
            "void f(int n, int m, int key[n], float b[m], float c[n])",
            ["K: int -> int, B: int -> float"],
            [
                ("reads", "key ~> Matrix1(n, K), b ~> Matrix1(m, B)"),
                ("consumes", "c ~> UninitMatrix1(n)"),
                ("produces", claim),
            ],
            f"{pragma}  {kind}\n",
        )

    # Matrices

    def matrices(self) -> str:
        r = self.r
        kind = r.choice(
            ["transpose", "map", "row_sums", "column_sums", "product", "rows", "outer", "triangle", "stencil"]
        )
        i, j, k = "i", "j", "k"
        outer, inner = "for (int i = 0; i < n; i++)", "for (int j = 0; j < m; j++)"
        if r.random() < 0.3:
            outer = "for (int i = n - 1; i >= 0; i--)"
        if r.random() < 0.3:
            inner = "for (int j = m; j > 0; j--)"
            j = "(j - 1)"
        order = [outer, inner]
        if r.random() < 0.4:
            order.reverse()
        if r.random() < 0.2:
            order[0] = "#pragma omp parallel for\n  " + order[0]
        both = "\n    ".join(order)
        match kind:
            case "transpose":
                body, spec, out = f"  {both} c[{j}][{i}] = a[{i}][{j}];\n", "fun i j -> A(j, i)", "m, n"
            case "map":
                body, spec, out = (
                    f"  {both} c[{i}][{j}] = 2.0f * a[{i}][{j}] + {i};\n",
                    "fun i j -> 2 * A(i, j) + i",
                    "n, m",
                )
            case "outer":
                body, spec, out = f"  {both} c[{i}][{j}] = v[{i}] * a[0][{j}];\n", "fun i j -> V(i) * A(0, j)", "n, m"
            case "triangle":
                spec = "fun i j -> j < i ? A(i, j) : 0"
                body = (
                    f"  {both} {{ if ({j} < {i}) {{ c[{i}][{j}] = a[{i}][{j}]; }} else {{ c[{i}][{j}] = 0.0f; }} }}\n"
                )
                out = "n, m"
            case "row_sums":
                body = f"  {outer} {{ float s = 0.0f; {inner} s += a[{i}][{j}]; c[{i}][0] = s; }}\n"
                spec, out = "fun i z -> Sum(k in 0..m, A(i, k))", "n, 1"
            case "column_sums":
                body = (
                    "  for (int j = 0; j < m; j++) c[0][j] = 0.0f;\n"
                    "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[0][j] += a[i][j];\n"
                )
                spec, out = "fun z j -> Sum(k in 0..n, A(k, j))", "1, m"
            case "product":
                add = f"for (int {k} = 0; {k} < m; {k}++) c[{i}][0] += a[{i}][{k}] * a[0][{k}];"
                body = f"  {outer} {{ c[{i}][0] = 0.0f; {add} }}\n"
                spec, out = "fun i z -> Sum(k in 0..m, A(i, k) * A(0, k))", "n, 1"
                self.requires.add("n >= 1")
            case "stencil":
                self.requires.add("m >= 2")
                body = (
                    f"  {outer} {{ c[{i}][0] = a[{i}][0]; c[{i}][m - 1] = a[{i}][m - 1];"
                    f" for (int q = 1; q < m - 1; q++) c[{i}][q] = a[{i}][q - 1] + a[{i}][q + 1]; }}\n"
                )
                spec, out = "fun i j -> j == 0 || j == m - 1 ? A(i, j) : A(i, j - 1) + A(i, j + 1)", "n, m"
            case _:
                fill, total = self.helper("fill"), self.helper("total")
                body = f"  for (int i = 0; i < n; i++) {{ const float s = {total}(m, a[i]); {fill}(m, s, c[i]); }}\n"
                spec, out = "fun i j -> Sum(k in 0..m, A(i, k))", "n, m"
        if kind == "outer":
            self.requires.add("n >= 1")
        claim = f"c ~> Matrix2({out}, {spec})" if r.random() < 0.7 else f"c ~> Cells2({out})"
        sizes = "".join(f"[{d.strip()}]" for d in out.split(","))
        return self.function(
            f"void f(int n, int m, float a[n][m], float v[n], float c{sizes})",
            ["A: int * int -> float, V: int -> float"],
            [
                ("reads", "a ~> Matrix2(n, m, A), v ~> Matrix1(n, V)"),
                ("consumes", f"c ~> UninitMatrix2({out})"),
                ("produces", claim),
            ],
            body,
        )
