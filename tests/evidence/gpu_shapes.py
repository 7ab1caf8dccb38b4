# ruff: noqa: E501 (the text of programs)
"""Random kernels of the shapes that people write: shuffles, vectors, tiles, trees, double buffers, scans, reductions over blocks.

Sizes, orders, memory spaces and claims are random. Careful ones are right by construction; others have lost some barriers, and some
claim something else (`claim`).
"""

from __future__ import annotations

from tests.evidence.gpu_shape import ADD_PART, ROTATE, ROW, SUM_BLOCK, SUM_WARP, GpuShape


class GpuShapes(GpuShape):
    """One kernel, or two in a row. `kinds` are the methods that make them."""

    kinds = (
        "shuffled", "warp_function", "warps", "vectors", "vector_tail", "register_arrays", "setup_memory", "double_buffer", "tree",
        "fold_function", "parts_function", "rotation", "transpose", "halo", "block_sums", "scan_in_two_kernels", "grid_stride", "magic",
        "conditional_memory", "rows", "product",
    )  # fmt: skip

    # Warps

    def shuffled(self) -> str:
        r, w = self.r, self.r.choice([1, 1, 2])
        n, d = 32 * w, r.choice([1, 2, 4, 8, 16])
        x, y = f"&x[DMINDEX2({w}, 32, w, 0)]", f"&y[DMINDEX2({w}, 32, w, 0)]"
        step, right = r.choice(
            [
                (f"shfl_down({y}, {x}, {d});", f"t % 32 + {d} < 32 ? D(b, t + {d}) : D(b, t)"),
                (f"shfl_up({y}, {x}, {d});", f"t % 32 >= {d} ? D(b, t - {d}) : D(b, t)"),
                (f"shfl_xor({y}, {x}, 1);", "t % 2 == 0 ? D(b, t + 1) : D(b, t - 1)"),
                (f"shfl({y}, {x}, {d});", f"D(b, t - t % 32 + {d})"),
                ("tree", "t % 32 == 0 ? Sum(l in 0..32, D(b, t + l)) : D(b, t)"),
                ("maxima", "t % 32 == 0 ? Max(l in 0..32, D(b, t + l)) : D(b, t)"),
            ]
        )
        store = f"d[b][t] = y[DMINDEX1({n}, t)];"
        if step in ("tree", "maxima"):
            xl, yl = f"x[DMINDEX2({w}, 32, w, l)]", f"y[DMINDEX2({w}, 32, w, l)]"
            add = f"{xl} += {yl};" if step == "tree" else f"{xl} = fmaxf({xl}, {yl});"
            step = f"for (int h = 16; h > 0; h >>= 1) {{ shfl_down({y}, {x}, h); thread for (int l = 0; l < 32; l++) if (l < h) {{ {add} }} }}"
            store = f"if (t % 32 == 0) {{ d[b][t] = x[DMINDEX1({n}, t)]; }}"
        return self.on_rows(
            n,
            f"""    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < {n}; t++) x[DMINDEX1({n}, t)] = d[b][t];
    thread for (int w = 0; w < {w}; w++) {{ {step} }}
    thread for (int t = 0; t < {n}; t++) {{ {store} }}""",
            right,
        )

    def warp_function(self) -> str:
        w, threads = self.r.choice([1, 1, 2]), self.r.choice(["32", "32", "t ..+ 32"])
        n = 32 * w
        before = SUM_WARP.format(threads=threads)
        if ".." in threads:
            before = before.replace("A: int -> float", "A: int -> float, t: int")
        return self.on_rows(
            n,
            f"""    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < {n}; t++) x[DMINDEX1({n}, t)] = d[b][t];
    thread for (int w = 0; w < {w}; w++) sum_warp(&x[DMINDEX2({w}, 32, w, 0)], &y[DMINDEX2({w}, 32, w, 0)]);
    thread for (int t = 0; t < {n}; t++) if (t % 32 == 0) {{ d[b][t] = x[DMINDEX1({n}, t)]; }}""",
            "t % 32 == 0 ? Sum(l in 0..32, D(b, t + l)) : D(b, t)",
            before=before,
        )

    def warps(self) -> str:
        """Exchanges within a warp, which need its barrier only."""
        r, w = self.r, self.r.choice([1, 2])
        c = r.randint(1, 31)
        at, right = r.choice(
            [
                ("31 - l", "D(b, t - t % 32 + 31 - t % 32)"),
                (f"(l + {c}) % 32", f"D(b, t - t % 32 + (t % 32 + {c}) % 32)"),
            ]
        )
        barrier = self.sync(r.choice(["warpsync", "warpsync", "__syncwarp", "blocksync" if w == 1 else "warpsync"]))
        cell = r.choice(["s[32 * w + I]", "s[w][I]"])
        shape = f"[{32 * w}]" if "32 * w" in cell else f"[{w}][32]"
        return self.on_rows(
            32 * w,
            f"""    __shared__ float s{shape};
    thread for (int w = 0; w < {w}; w++) {{
      thread for (int l = 0; l < 32; l++) {cell.replace("I", "l")} = d[b][32 * w + l];
      {barrier}
      thread for (int l = 0; l < 32; l++) d[b][32 * w + l] = {cell.replace("I", at)};
    }}""",
            right,
        )  # fmt: skip

    # Vectors and registers

    def vectors(self) -> str:
        """Several vectors a thread, changed in registers, in place or by way of shared memory."""
        r, t, v, parts = self.r, self.r.choice([2, 4]), self.r.choice([2, 4]), self.r.choice([1, 2])
        n = v * t * parts
        at = r.choice([f"{v} * ({t} * p + t)", f"{v} * ({parts} * t + p)"])
        change, right = r.choice(
            [
                ("v[j] = 2.0f * v[j];", "2 * D(b, t)"),
                ("v[j] += j;", f"D(b, t) + t % {v}"),
                ("if (j % 2 == 0) { const float x = v[j]; v[j] = v[j + 1]; v[j + 1] = x; }", "D(b, t % 2 == 0 ? t + 1 : t - 1)"),
            ]
        )  # fmt: skip
        work = (
            f"vload{v}(&v[0], &d[b][{at}]); for (int j = 0; j < {v}; j++) {{ {change} }} vstore{v}(&d[b][{at}], &v[0]);"
        )
        body = f"    thread for (int t = 0; t < {t}; t++) for (int p = 0; p < {parts}; p++) {{ float v[{v}]; {work} }}"
        if r.random() < 0.4:
            back = f"for (int j = 0; j < {v}; j++) {{ d[b][{at} + j] = s[{n - 1} - ({at} + j)]; }}"
            body = f"""    __shared__ float s[{n}];
    thread for (int t = 0; t < {t}; t++) for (int p = 0; p < {parts}; p++) {{ float v[{v}]; vload{v}(&v[0], &d[b][{at}]); vstore{v}(&s[{at}], &v[0]); }}
    {self.sync()}
    thread for (int t = 0; t < {t}; t++) for (int p = 0; p < {parts}; p++) {{ {back} }}"""
            right = f"D(b, {n - 1} - t)"
        return self.on_rows(n, body, right, threads=t)

    def vector_tail(self) -> str:
        """Vectors where there are whole ones, cells one by one at the end."""
        t, v = self.r.choice([2, 4]), self.r.choice([2, 4])
        tile = t * v
        whole = self.r.choice([f"{v} * i + {v} <= n", f"{v} * (i + 1) <= n", f"{v} * i + {v - 1} < n"])
        claim = self.claim("e", "n, GMem", "i", "2 * A(i)", ["A(i)", f"i < n - n % {v} ? 2 * A(i) : A(i)"])
        return f"""void f(int n, float d[n], float e[n]) {{
  __requires("A: int -> float, n >= 0");
  __reads("d ~> Matrix1Of(n, GMem, A)");
  __consumes("e ~> UninitMatrix1Of(n, GMem)");
  __produces("{claim}");
  kernel_launch((n + {tile - 1}) / {tile}, {t}, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (n + {tile - 1}) / {tile}; b++) thread for (int t = 0; t < {t}; t++) {{
    const int i = {t} * b + t;
    if ({whole}) {{
      float v[{v}];
      vload{v}(&v[0], &d[{v} * i]);
      for (int j = 0; j < {v}; j++) v[j] = 2.0f * v[j];
      vstore{v}(&e[{v} * i], &v[0]);
    }} else {{
      for (int j = 0; j < {v}; j++) if ({v} * i + j < n) {{ e[{v} * i + j] = 2.0f * d[{v} * i + j]; }}
    }}
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    def register_arrays(self) -> str:
        """An array in each thread's registers, its threads numbered by one loop and then by two."""
        r, t, k = self.r, self.r.choice([4, 6, 8]), self.r.randint(1, 3)
        n1 = r.choice([d for d in (2, 3, 4) if t % d == 0])
        n2 = t // n1
        fill, term = r.choice([("d[b][t] + j", "D(b, t) + j"), ("(float)(j * t)", "j * t"), ("d[b][t]", "D(b, t)")])
        order = r.choice([f"int j = 0; j < {k}; j++", f"int j = {k - 1}; j >= 0; j--"])
        barrier = r.choice(["", "    blocksync();\n"])
        return self.on_rows(
            t,
            f"""    float* const y = __treg_malloc1<float>({k});
    thread for (int t = 0; t < {t}; t++) for ({order}) y[DMINDEX1({t}, t)][j] = {fill};
{barrier}    thread for (int p = 0; p < {n1}; p++) thread for (int q = 0; q < {n2}; q++) {{
      float v = 0.0f;
      for (int j = 0; j < {k}; j++) v += y[DMINDEX2({n1}, {n2}, p, q)][j];
      d[b][{n2} * p + q] = v;
    }}""",
            f"Sum(j in 0..{k}, {term})",
        )

    # Shared memory

    def setup_memory(self) -> str:
        """Shared memory that the launch allocates."""
        r, t, (write, read, whose) = self.r, self.t, self.exchange(self.t)
        two = r.random() < 0.4
        sizes = f"2, {t}" if two else str(t)
        row = "s[DMINDEX1(G, b)][1]" if two else "s[DMINDEX1(G, b)]"
        setup = f"  float* const s = __smem_malloc{1 + two}<float>({sizes});\n"
        free = f"  __smem_free{1 + two}(s, {sizes});\n"
        if r.random() < 0.3:
            setup, free = (
                setup + f"  float* const u = __smem_malloc1<float>({t});\n",
                f"  __smem_free1(u, {t});\n" + free,
            )
        return self.on_rows(
            t,
            f"""    thread for (int t = 0; t < {t}; t++) {row}[{write}] = d[b][t];
    {self.sync()}
    thread for (int t = 0; t < {t}; t++) d[b][t] = {row}[{read}];""",
            f"D(b, {whose})",
            setup=(setup, free),
        )

    def double_buffer(self) -> str:
        """While one half is read, the other is written: one barrier an iteration."""
        r, t, k = self.r, self.r.choice([2, 4]), self.r.randint(2, 4)
        n = t * k
        at, other = (
            r.choice([f"{t - 1} - t", f"{t - 1} - t", f"(t + 1) % {t}"]),
            r.choice(["(k + 1) % 2", "(k + 1) % 2", "1 - k % 2"]),
        )
        guard = r.choice([f"k + 1 < {k}", f"k < {k - 1}"])
        return self.on_rows(
            n,
            f"""    __shared__ float s[2][{t}];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < {t}; t++) {{ x[DMINDEX1({t}, t)] = 0.0f; s[0][t] = d[b][t]; }}
    {self.sync()}
    for (int k = 0; k < {k}; k++) {{
      thread for (int t = 0; t < {t}; t++) x[DMINDEX1({t}, t)] += s[k % 2][{at}];
      if ({guard}) thread for (int t = 0; t < {t}; t++) s[{other}][t] = d[b][{t} * (k + 1) + t];
      {self.sync()}
    }}
    thread for (int t = 0; t < {t}; t++) d[b][t] = x[DMINDEX1({t}, t)];""",
            f"t < {t} ? Sum(k in 0..{k}, D(b, {t} * k + ({at}))) : D(b, t)",
            threads=t,
        )

    def fold(self) -> tuple[str, str, str]:
        """A big operator, the statement `s[t] = s[t] op s[t + h]`, and the one for a variable v and an element E."""
        return self.r.choice(
            [
                ("Sum", "s[t] += s[t + h];", "v += E;"),
                ("Max", "s[t] = fmaxf(s[t], s[t + h]);", "v = fmaxf(v, E);"),
                ("Max", "if (s[t] < s[t + h]) { s[t] = s[t + h]; }", "if (E > v) { v = E; }"),
                ("Min", "s[t] = fminf(s[t], s[t + h]);", "v = fminf(v, E);"),
            ]
        )

    def tree(self) -> str:
        """Each thread folds some cells of the row, the block folds the threads' results by a tree."""
        r, t, k = self.r, self.r.choice([2, 4, 8]), self.r.choice([1, 2, 3])
        n, (big, step, own) = t * k, self.fold()
        columns = r.random() < 0.5
        at = f"{t} * k + t" if columns else f"{k} * t + k"
        start, first = ("0.0f", 0) if big == "Sum" else (f"d[b][{'t' if columns else f'{k} * t'}]", 1)
        barrier, everyone = self.sync(), r.random() < 0.5
        store = "d[b][t] = s[0];" if everyone else "if (t == 0) { d[b][t] = s[0]; }"
        result = f"{big}(k in 0..{n}, D(b, k))"
        right = f"t < {t} ? {result} : D(b, t)" if everyone else f"t == 0 ? {result} : D(b, t)"
        return self.on_rows(
            n,
            f"""    __shared__ float s[{t}];
    thread for (int t = 0; t < {t}; t++) {{
      float v = {start};
      for (int k = {first}; k < {k}; k++) {{ {own.replace("E", f"d[b][{at}]")} }}
      s[t] = v;
    }}
    for (int h = {t // 2}; h > 0; h >>= 1) {{
      {barrier}
      thread for (int t = 0; t < {t}; t++) if (t < h) {{ {step} }}
    }}
    {self.sync()}
    thread for (int t = 0; t < {t}; t++) {{ {store} }}""",
            right,
            threads=t,
        )

    # Functions of groups of threads

    def fold_function(self) -> str:
        t, (big, step, _) = self.r.choice([2, 4, 8]), self.fold()
        before = SUM_BLOCK.format(t=t, half=t // 2, fold=big, step=step, first=self.sync(), last=self.sync())
        return self.on_rows(
            t,
            f"""    __shared__ float s[{t}];
    thread for (int t = 0; t < {t}; t++) s[t] = d[b][t];
    fold_block(s);
    thread for (int t = 0; t < {t}; t++) d[b][t] = s[0];""",
            f"{big}(k in 0..{t}, D(b, k))",
            before=before,
        )

    def parts_function(self) -> str:
        """A function that parts of the block call, on their parts of arrays."""
        parts, n = self.r.choice([(1, 4), (2, 2), (2, 4), (3, 2), (4, 1)])
        t = parts * n
        return self.on_rows(
            t,
            f"""    __shared__ float s[{t}];
    __shared__ float u[{t}];
    thread for (int t = 0; t < {t}; t++) {{ s[t] = d[b][t]; u[t] = {self.r.choice(["1.0f", "1.0f * 1"])}; }}
    thread for (int w = 0; w < {parts}; w++) add_part({n}, &s[{n} * w], &u[{n} * w]);
    {self.sync()}
    thread for (int t = 0; t < {t}; t++) d[b][t] = s[{t - 1} - t];""",
            f"D(b, {t - 1} - t) + 1",
            before=ADD_PART,
        )

    def rotation(self) -> str:
        t, clear = self.t, self.r.random() < 0.5
        after = f"\n    {self.sync()}\n    thread for (int t = 0; t < {t}; t++) s[t] = 0.0f;" if clear else ""
        return self.on_rows(
            t,
            f"""    __shared__ float s[{t}];
    __shared__ float r[{t}];
    thread for (int t = 0; t < {t}; t++) s[t] = d[b][t];
    rotate({t}, s, r);{after}
    thread for (int t = 0; t < {t}; t++) d[b][t] = r[t];""",
            f"D(b, {t - 1} - t)",
            before=ROTATE.format(sync=self.sync()),
        )

    def rows(self) -> str:
        """A device function on a row, or on a part of one, that the thread reads."""
        t, n = self.t, self.r.randint(1, 4)
        call, right = self.r.choice(
            [
                (f"row_sum({n}, a[i])", f"Sum(k in 0..{n}, A(i, k))"),
                (f"row_sum({n - 1}, &a[i][1])", f"Sum(k in 0..{n - 1}, A(i, k + 1))"),
                (f"row_sum({n - 1}, &a[i][0])", f"Sum(k in 0..{n - 1}, A(i, k))"),
                (f"row_sum({n}, a[h - 1 - i])", f"Sum(k in 0..{n}, A(h - 1 - i, k))"),
            ]
        )
        guard = self.r.choice([f"if (i < h) {{ e[i] = {call}; }}", f"if (i >= h) continue; e[i] = {call};"])
        claim = self.claim("e", "h, GMem", "i", right, ["0", f"Sum(k in 0..{n + 1}, A(i, k))"])
        return f"""{ROW}void f(int h, float a[h][{n}], float e[h]) {{
  __requires("A: int * int -> float, h >= 0");
  __reads("a ~> Matrix2Of(h, {n}, GMem, A)");
  __consumes("e ~> UninitMatrix1Of(h, GMem)");
  __produces("{claim}");
  kernel_launch((h + {t - 1}) / {t}, {t}, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (h + {t - 1}) / {t}; b++) thread for (int t = 0; t < {t}; t++) {{ const int i = {t} * b + t; {guard} }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    # Several blocks, partial tiles

    def transpose(self) -> str:
        """Square tiles through shared memory; sizes any, with guards, or multiples of the tile."""
        t, whole, pad = self.r.choice([2, 2, 3]), self.r.random() < 0.4, self.r.choice([0, 1])
        gh, gw = (f"H / {t}", f"W / {t}") if whole else (f"(H + {t - 1}) / {t}", f"(W + {t - 1}) / {t}")
        needs = f"H >= 0, W >= 0, H % {t} == 0, W % {t} == 0" if whole else "H >= 0, W >= 0"
        load, store = f"s[y][x] = a[{t} * p + y][{t} * q + x];", f"e[{t} * q + y][{t} * p + x] = s[x][y];"
        if not whole:
            load = f"if ({t} * p + y < H && {t} * q + x < W) {{ {load} }}"
            store = f"if ({t} * q + y < W && {t} * p + x < H) {{ {store} }}"
        if not whole and self.r.random() < 0.5:
            load += " else { s[y][x] = 0.0f; }"
        claim = self.claim("e", "W, H, GMem", "i j", "A(j, i)", ["A(i, j)", "0"])
        loops = f"thread for (int y = 0; y < {t}; y++) thread for (int x = 0; x < {t}; x++)"
        return f"""void f(int H, int W, float a[H][W], float e[W][H]) {{
  __requires("A: int * int -> float, {needs}");
  __reads("a ~> Matrix2Of(H, W, GMem, A)");
  __consumes("e ~> UninitMatrix2Of(W, H, GMem)");
  __produces("{claim}");
  kernel_launch(({gh}) * ({gw}), {t * t}, 256);
  kernel_setup_end();
  thread for (int p = 0; p < {gh}; p++) thread for (int q = 0; q < {gw}; q++) {{
    __shared__ float s[{t}][{t + pad}];
    {loops} {{ {load} }}
    {self.sync()}
    {loops} {{ {store} }}
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    def halo(self) -> str:
        """A stencil along a vector, by tiles with a border in shared memory."""
        t = self.t
        claim = self.claim(
            "e", "n, GMem", "i", "0 < i && i < n - 1 ? A(i - 1) + A(i + 1) : A(i)",
            ["A(i)", "0 < i ? A(i - 1) + A(i) : A(i)"],
        )  # fmt: skip
        edges = self.r.choice(
            [
                f"if (t == 0 && 0 < i) {{ s[0] = d[i - 1]; }} if (t == {t - 1} && i + 1 < n) {{ s[{t + 1}] = d[i + 1]; }}",
                f"if (t == 0 && 0 < i && i <= n) {{ s[0] = d[i - 1]; }} if (t == 0 && i + {t} < n) {{ s[{t + 1}] = d[i + {t}]; }}",
            ]
        )
        return f"""void f(int n, float d[n], float e[n]) {{
  __requires("A: int -> float, n >= 0");
  __reads("d ~> Matrix1Of(n, GMem, A)");
  __consumes("e ~> UninitMatrix1Of(n, GMem)");
  __produces("{claim}");
  kernel_launch((n + {t - 1}) / {t}, {t}, 256);
  kernel_setup_end();
  thread for (int b = 0; b < (n + {t - 1}) / {t}; b++) {{
    __shared__ float s[{t + 2}];
    thread for (int t = 0; t < {t}; t++) {{ const int i = {t} * b + t; if (i < n) {{ s[t + 1] = d[i]; }} {edges} }}
    {self.sync()}
    thread for (int t = 0; t < {t}; t++) {{
      const int i = {t} * b + t;
      if (0 < i && i < n - 1) {{ e[i] = s[t] + s[t + 2]; }} else if (i < n) {{ e[i] = s[t + 1]; }}
    }}
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    def block_sums(self) -> str:
        """Partial sums by blocks, added up by the host or by a second kernel."""
        r, t, blocks = self.r, self.r.choice([2, 4]), self.r.choice([1, 2, 3])
        stride = t * blocks
        loop = r.choice(
            [
                f"for (int i = {t} * b + t; i < n; i += {stride}) v += d[i];",
                f"for (int k = 0; k < (n + {stride - 1}) / {stride}; k++) {{ const int i = {stride} * k + {t} * b + t; if (i < n) {{ v += d[i]; }} }}",
            ]
        )
        add = f"float v = 0.0f; for (int k = 0; k < {t}; k++) v += s[k];"
        wrong = "Sum(i in 0..n - 1, A(i))" if r.random() < 0.07 else "Sum(i in 0..n, A(i))"
        return f"""float f(int n, float d[n]) {{
  __requires("A: int -> float, n >= 0");
  __reads("d ~> Matrix1Of(n, GMem, A)");
  __ensures("_Res == {wrong}");
  float* const e = __gmem_malloc1<float>({blocks});
  kernel_launch({blocks}, {t}, 256);
  kernel_setup_end();
  thread for (int b = 0; b < {blocks}; b++) {{
    __shared__ float s[{t}];
    thread for (int t = 0; t < {t}; t++) {{ float v = 0.0f; {loop} s[t] = v; }}
    {self.sync()}
    thread for (int t = 0; t < {t}; t++) if (t == 0) {{ {add} e[b] = v; }}
  }}
  kernel_teardown_begin();
  kernel_kill();
  float* const h = MALLOC1(float, {blocks});
  memcpy_device_to_host1(h, e, {blocks});
  float total = 0.0f;
  for (int b = 0; b < {blocks}; b++) total += h[b];
  free(h);
  gmem_free(e);
  return total;
}}
"""

    def scan_in_two_kernels(self) -> str:
        """Sums of tiles in place, then what the tiles before have summed up, in a second kernel."""
        r, t = self.r, self.t
        claim = self.claim(
            "d", f"G, {t}, GMem", "b t", "Sum(k in 0..t + 1, D(b, k)) + b", ["D(b, t)", "Sum(k in 0..t, D(b, k)) + b"]
        )
        between = "  kernel_teardown_begin();\n  kernel_kill();\n  kernel_launch({}, {}, 0);\n  kernel_setup_end();\n"
        second = r.choice([("G", str(t)), (f"G * {t}", "1")])
        scan = f"float v = 0.0f; for (int k = 0; k < {t}; k++) {{ v += d[b][k]; d[b][k] = v; }}"
        return f"""void f(int G, float d[G][{t}]) {{
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, {t}, GMem, D)");
  __produces("{claim}");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {{ {scan} }}
{between.format(*second) if self.careful else ""}  thread for (int b = 0; b < G; b++) thread for (int t = 0; t < {t}; t++) d[b][t] += b;
  kernel_teardown_begin();
  kernel_kill();
}}
"""  # fmt: skip

    def grid_stride(self) -> str:
        """A fixed number of threads goes over a vector of any length, upwards or downwards."""
        r, t, blocks = self.r, self.t, self.r.choice([1, 2, 3])
        all_ = t * blocks
        value, right = r.choice([("d[i] + 1.0f", "A(i) + 1"), ("d[n - 1 - i]", "A(n - 1 - i)"), ("(float)i", "i")])
        loop = r.choice(
            [f"for (int i = {t} * b + t; i < n; i += {all_}) e[i] = {value};"] * 4
            + [
                f"for (int i = {t} * b + t; i < n; i += {all_}) {{ if (i % 2 == 0) {{ e[i] = {value}; }} else {{ e[i] = {value}; }} }}",
                f"for (int i = n - 1 - ({t} * b + t); i >= 0; i -= {all_}) e[i] = {value};",
                f"for (int k = (n + {all_ - 1}) / {all_} - 1; k >= 0; k--) {{ const int i = {all_} * k + {t} * b + t; if (i < n) {{ e[i] = {value}; }} }}",
                f"for (int k = 0; k < (n + {all_ - 1}) / {all_}; k++) {{ const int i = {all_} * k + {t} * b + t; if (i >= n) continue; e[i] = {value}; }}",
            ]
        )
        claim = self.claim("e", "n, GMem", "i", right, ["A(i)", "0"])
        return f"""void f(int n, float d[n], float e[n]) {{
  __requires("A: int -> float, n >= 0");
  __reads("d ~> Matrix1Of(n, GMem, A)");
  __consumes("e ~> UninitMatrix1Of(n, GMem)");
  __produces("{claim}");
  kernel_launch({blocks}, {t}, 0);
  kernel_setup_end();
  thread for (int b = 0; b < {blocks}; b++) thread for (int t = 0; t < {t}; t++) {{ {loop} }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    def product(self) -> str:
        """A matrix product by tiles in shared memory."""
        t = 2
        claim = self.claim(
            "e", f"{t} * m, {t} * n, GMem", "i j", f"Sum(k in 0..{t} * p, A(i, k) * B(k, j))", ["0", "A(i, j)"]
        )
        loops = f"thread for (int y = 0; y < {t}; y++) thread for (int x = 0; x < {t}; x++)"
        return f"""void f(int m, int n, int p, float a[{t} * m][{t} * p], float c[{t} * p][{t} * n], float e[{t} * m][{t} * n]) {{
  __requires("A: int * int -> float, B: int * int -> float, m >= 0, n >= 0, p >= 0");
  __reads("a ~> Matrix2Of({t} * m, {t} * p, GMem, A), c ~> Matrix2Of({t} * p, {t} * n, GMem, B)");
  __consumes("e ~> UninitMatrix2Of({t} * m, {t} * n, GMem)");
  __produces("{claim}");
  kernel_launch(m * n, {t * t}, 256);
  kernel_setup_end();
  thread for (int i = 0; i < m; i++) thread for (int j = 0; j < n; j++) {{
    __shared__ float s[{t}][{t}];
    __shared__ float u[{t}][{t}];
    float* const v = __treg_malloc0<float>();
    {loops} v[DMINDEX2({t}, {t}, y, x)] = 0.0f;
    for (int k = 0; k < p; k++) {{
      {loops} {{ s[y][x] = a[{t} * i + y][{t} * k + x]; u[y][x] = c[{t} * k + y][{t} * j + x]; }}
      {self.sync()}
      {loops} for (int q = 0; q < {t}; q++) v[DMINDEX2({t}, {t}, y, x)] += s[y][q] * u[q][x];
      {self.sync()}
    }}
    {loops} e[{t} * i + y][{t} * j + x] = v[DMINDEX2({t}, {t}, y, x)];
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    # Other modes and scopes

    def magic(self) -> str:
        """The steps between sequential loops and thread loops."""
        r, t = self.r, self.t
        if r.random() < 0.8:
            claim = r.choice(["Matrix1(n, fun i -> 2 * A(i) + 1)"] * 4 + ["Cells1(n)", "Matrix1(n, fun i -> 2 * A(i))"])
            second = r.choice(["a[i]", "a[n - 1 - i]"])
            barrier = r.choice(["  magic_barrier();\n", ""])
            return f"""void f(int n, float a[n]) {{
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> {claim}");
  magic thread for (int i = 0; i < n; i++) a[i] = 2.0f * a[i];
{barrier}  magic thread for (int i = 0; i < n; i++) {second} += 1.0f;
}}
"""
        n = t - t % 2
        return self.on_rows(
            n,
            f"""    __shared__ float s[{n}];
    thread for (int t = 0; t < {n}; t++) s[t] = d[b][t];
    {r.choice(["", "", "magic_barrier();", "blocksync();"])}
    magic thread for (int t = 0; t < {n // 2}; t++) s[2 * t] = s[2 * t + 1];
    thread for (int t = 0; t < {n}; t++) d[b][t] = s[{n - 1} - t];""",
            f"D(b, {n - 1} - (t - t % 2))",
        )

    def conditional_memory(self) -> str:
        """Memory that there is under a condition only, on the device and on the host."""
        r, t = self.r, self.t
        write, read, whose = self.exchange(t)
        if r.random() < 0.4:
            test = r.choice(["b < m", "b == 0", "b % 2 == 0", "0 < m"])
            return self.on_rows(
                t,
                f"""    if ({test}) {{
      __shared__ float s[{t}];
      thread for (int t = 0; t < {t}; t++) s[{write}] = d[b][t];
      {self.sync()}
      thread for (int t = 0; t < {t}; t++) d[b][t] = s[{read}];
    }}""",
                f"{test} ? D(b, {whose}) : D(b, t)",
            )
        claim = r.choice(["Matrix1(n, fun i -> 0 < m ? A(i) + 1 : A(i))"] * 4 + ["Cells1(n)", "Matrix1(n, A)"])
        return f"""void f(int n, int m, float a[n]) {{
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> {claim}");
  if (0 < m) {{
    float* const d = __gmem_malloc1<float>(n);
    memcpy_host_to_device1(d, a, n);
    kernel_launch((n + {t - 1}) / {t}, {t}, 0);
    kernel_setup_end();
    thread for (int b = 0; b < (n + {t - 1}) / {t}; b++) thread for (int t = 0; t < {t}; t++) if ({t} * b + t < n) {{ d[{t} * b + t] += 1.0f; }}
    kernel_teardown_begin();
    kernel_kill();
    memcpy_device_to_host1(a, d, n);
    gmem_free(d);
  }}
}}
"""
