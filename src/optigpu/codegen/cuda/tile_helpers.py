"""Device code that emitted kernels use for tiles, fragments and pipelined loops: each helper where a kernel needs it."""

from __future__ import annotations

import re

from optigpu.codegen.cuda.tile_instructions import (
    HOPPER,
    INSTRUCTIONS,
    Helper,
    copy_box,
    template,
    warp_product,
    wgmma,
)
from optigpu.codegen.launch_plan import MOST_EXTENT

HELPERS: dict[str, Helper] = {
    **INSTRUCTIONS,
    "shared_tile": template(
        (),
        """
// A matrix in shared memory, in panels of 128 bytes a row. The pieces of 16 bytes of a row are swizzled, so that tensor cores and
// bulk copies have no bank conflicts. It begins at a multiple of 1024 bytes.
template <typename T, int Rows, int Cols>
struct shared_tile {
  static constexpr unsigned row_bytes = Cols * sizeof(T) < 128 ? Cols * (unsigned)sizeof(T) : 128;
  static constexpr unsigned panel_bytes = Rows * row_bytes;
  unsigned char* data;
  __device__ __forceinline__ shared_tile operator[](int n) const { return {data + n * (Rows * Cols * (int)sizeof(T))}; }
  __device__ __forceinline__ T& at(int row, int col) const {
    const unsigned x = (unsigned)col * (unsigned)sizeof(T), y = (unsigned)row;
    const unsigned piece = (x % row_bytes) ^ (y / (128 / row_bytes) % (row_bytes / 16) * 16);
    return *reinterpret_cast<T*>(data + x / row_bytes * panel_bytes + y * row_bytes + piece);
  }
};
""",
    ),
    "load_tile": template(
        ("shared_tile", "copy_async"),
        """
// The threads of a block copy a tile of a matrix, from (row, col) on, with zeros outside of the matrix: rows that are aligned to
// 16 bytes by asynchronous copies, others element by element, with several loads under way.
template <int Threads, int Rows, int Cols, typename Tile, typename T>
__device__ __forceinline__ void load_elements(Tile to, const T* from, long long height, long long width, long long row,
    long long col) {
  constexpr int piece = 16 / (int)sizeof(T), pieces = Cols < piece ? 1 : Cols / piece, batch = 16;
  if (Cols % piece == 0 && width % piece == 0 && col % piece == 0 && (size_t)from % 16 == 0) {
    for (int n = threadIdx.x; n < Rows * pieces; n += Threads) {
      const int i = n / pieces, j = n % pieces * piece;
      const bool inside = -i <= row && row < height - i && -j <= col && col < width - j;
      copy_async(&to.at(i, j), inside ? from + (size_t)(row + i) * width + (col + j) : from, inside ? 16 : 0);
    }
  } else {
    for (int first = threadIdx.x; first < Rows * Cols; first += batch * Threads) {
      T x[batch];
      #pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int n = first + b * Threads, i = n / Cols, j = n % Cols;
        const bool inside = n < Rows * Cols && -i <= row && row < height - i && -j <= col && col < width - j;
        x[b] = inside ? from[(size_t)(row + i) * width + (col + j)] : T();
      }
      #pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int n = first + b * Threads;
        if (n < Rows * Cols) to.at(n / Cols, n % Cols) = x[b];
      }
    }
  }
}

template <int Threads, typename T, int Rows, int Cols>
__device__ __forceinline__ void load_tile(shared_tile<T, Rows, Cols> to, const T* from, long long height, long long width,
    long long row, long long col) {
  load_elements<Threads, Rows, Cols>(to, from, height, width, row, col);
}
""",
    ),
    "load_rows": template(
        ("load_tile",),
        """
template <typename T, int Cols>
struct plain_rows {
  T* data;
  __device__ __forceinline__ T& at(int row, int col) const { return data[row * Cols + col]; }
};

template <int Threads, int Rows, int Cols, typename T>
__device__ __forceinline__ void load_rows(T* to, const T* from, long long height, long long width, long long row, long long col) {
  load_elements<Threads, Rows, Cols>(plain_rows<T, Cols>{to}, from, height, width, row, col);
}
""",
    ),
    "store_pair": template(
        (),
        """
// Two adjacent elements, at once where they are aligned.
template <typename T, typename X, typename Y>
__device__ __forceinline__ void store_pair(T* to, X x, Y y) {
  struct __align__(2 * sizeof(T)) pair {
    T x, y;
  };
  if ((size_t)to % sizeof(pair) == 0) {
    *reinterpret_cast<pair*>(to) = {(T)x, (T)y};
  } else {
    to[0] = x;
    to[1] = y;
  }
}
""",
    ),
    "reduce_rows": template(
        (),
        """
// Combine the elements of each row of a fragment with the row's element of a vector: those of a thread, then those of the four
// lanes.
template <typename F, int Tiles, int Cols>
__device__ __forceinline__ void reduce_rows(float (&vector)[Tiles][2], const float (&fragment)[Tiles][Cols][2][2], F combine) {
  #pragma unroll
  for (int tile = 0; tile < Tiles; ++tile) {
    #pragma unroll
    for (int half = 0; half < 2; ++half) {
      float x = combine(fragment[tile][0][half][0], fragment[tile][0][half][1]);
      #pragma unroll
      for (int col = 1; col < Cols; ++col) {
        x = combine(x, combine(fragment[tile][col][half][0], fragment[tile][col][half][1]));
      }
      x = combine(x, __shfl_xor_sync(0xffffffffu, x, 1));
      x = combine(x, __shfl_xor_sync(0xffffffffu, x, 2));
      vector[tile][half] = combine(vector[tile][half], x);
    }
  }
}
""",
    ),
    **{
        f"fragment_row_{name}": template(
            ("reduce_rows",),
            f"""
template <int Tiles, int Cols>
__device__ __forceinline__ void fragment_row_{name}(float (&vector)[Tiles][2], const float (&fragment)[Tiles][Cols][2][2]) {{
  reduce_rows(vector, fragment, [](float x, float y) {{ return {expression}; }});
}}
""",
        )
        for name, expression in (("sum", "x + y"), ("max", "fmaxf(x, y)"), ("min", "fminf(x, y)"))
    },
    "operands_16": template(
        ("shared_tile", "load_matrices"),
        """
// The operands of a warp for products of 16 x 8 x 16: 16 rows of the left tile, 16 columns of the right one. `Across`: the
// summands are the rows of the left tile, or the columns of the right one.
template <bool Across, typename T, int Rows, int Cols>
__device__ __forceinline__ void left_operand(unsigned (&a)[4], shared_tile<T, Rows, Cols> from, int row, int k) {
  const int lane = threadIdx.x % 32, n = lane % 8, lower = lane / 8 % 2 * 8, right = lane / 16 * 8;
  if (Across) {
    load_transposed(a, &from.at(k + right + n, row + lower));
  } else {
    load_matrices(a, &from.at(row + lower + n, k + right));
  }
}

template <bool Across, typename T, int Rows, int Cols>
__device__ __forceinline__ void right_operand(unsigned (&b)[4], shared_tile<T, Rows, Cols> from, int k, int col) {
  const int lane = threadIdx.x % 32, n = lane % 8, lower = lane / 8 % 2 * 8, right = lane / 16 * 8;
  if (Across) {
    load_matrices(b, &from.at(col + right + n, k + lower));
  } else {
    load_transposed(b, &from.at(k + lower + n, col + right));
  }
}
""",
    ),
    "operands_32": template(
        ("shared_tile",),
        """
// The operands of a warp for products of 16 x 8 x 8 in TF32: 16 rows of the left tile, 16 columns of the right one. `Across`: the
// summands are the rows of the left tile, or the columns of the right one.
template <bool Across, int Rows, int Cols>
__device__ __forceinline__ void left_operand(unsigned (&a)[4], shared_tile<float, Rows, Cols> from, int row, int k) {
  #pragma unroll
  for (int n = 0; n < 4; ++n) {
    const int i = row + threadIdx.x % 32 / 4 + n % 2 * 8, j = k + threadIdx.x % 4 + n / 2 * 4;
    a[n] = __float_as_uint(Across ? from.at(j, i) : from.at(i, j));
  }
}

template <bool Across, int Rows, int Cols>
__device__ __forceinline__ void right_operand(unsigned (&b)[4], shared_tile<float, Rows, Cols> from, int k, int col) {
  #pragma unroll
  for (int n = 0; n < 4; ++n) {
    const int i = k + threadIdx.x % 4 + n % 2 * 4, j = col + threadIdx.x % 32 / 4 + n / 2 * 8;
    b[n] = __float_as_uint(Across ? from.at(j, i) : from.at(i, j));
  }
}
""",
    ),
    "multiply_by_warps": template(
        ("shared_tile",),
        """
// The warps of a group add a product of two tiles to a fragment. A warp has 16 rows of each `Step`; `left(a, row, k)` gets its
// operand.
template <int Step, bool RightAcross, int Depth, int Tiles, int Cols, typename Left, typename T, int R, int C>
__device__ __forceinline__ void products_of_warp(float (&sums)[Tiles][Cols][2][2], Left left, shared_tile<T, R, C> right,
    int k, int col) {
  constexpr int summands = 32 / (int)sizeof(T);
  #pragma unroll
  for (int n = 0; n < Depth; n += summands) {
    unsigned a[Tiles][4];
    #pragma unroll
    for (int i = 0; i < Tiles; ++i) {
      left(a[i], i, n);
    }
    #pragma unroll
    for (int j = 0; j < Cols; j += 2) {
      unsigned b[4];
      right_operand<RightAcross>(b, right, k + n, col + j * 8);
      #pragma unroll
      for (int i = 0; i < Tiles; ++i) {
        warp_product(sums[i][j], a[i], b[0], b[1], T());
        warp_product(sums[i][j + 1], a[i], b[2], b[3], T());
      }
    }
  }
}

template <int Step, bool LeftAcross, bool RightAcross, int Depth, int Tiles, int Cols, typename T, int R, int C, int R2, int C2>
__device__ __forceinline__ void multiply_by_warps(float (&sums)[Tiles][Cols][2][2], shared_tile<T, R, C> left, int row,
    int left_k, shared_tile<T, R2, C2> right, int k, int col) {
  const int first = row + threadIdx.x % (2 * Step) / 32 * 16;
  products_of_warp<Step, RightAcross, Depth>(
      sums, [&](unsigned (&a)[4], int i, int n) { left_operand<LeftAcross>(a, left, first + i * Step, left_k + n); }, right, k,
      col);
}

template <int Step, bool RightAcross, int Depth, int Tiles, int Cols, int Pairs, typename T, int R, int C>
__device__ __forceinline__ void multiply_by_warps(float (&sums)[Tiles][Cols][2][2], const unsigned (&left)[Tiles][Pairs][2],
    shared_tile<T, R, C> right, int k, int col) {
  products_of_warp<Step, RightAcross, Depth>(
      sums,
      [&](unsigned (&a)[4], int i, int n) {
        #pragma unroll
        for (int x = 0; x < 4; ++x) {
          a[x] = left[i][n / 8 + x / 2][x % 2];
        }
      },
      right, k, col);
}
""",
    ),
    "operand_at": template(
        ("shared_tile", "wgmma"),
        f"""
#ifdef {HOPPER}
// Where the tensor cores find an operand in shared memory. `Across`: its rows are the summands.
template <bool Across, typename T, int Rows, int Cols>
__device__ __forceinline__ operand_descriptor operand_at(shared_tile<T, Rows, Cols> from, int row, int col) {{
  typedef shared_tile<T, Rows, Cols> Tile;
  const unsigned x = (unsigned)col * (unsigned)sizeof(T);
  const unsigned char* const panel = from.data + x / Tile::row_bytes * Tile::panel_bytes;
  const unsigned char* const start = panel + (unsigned)row * Tile::row_bytes + x % Tile::row_bytes;
  return make_descriptor(start, Across ? (int)Tile::panel_bytes : 16, 8 * (int)Tile::row_bytes, (int)Tile::row_bytes);
}}
#endif
""",
    ),
    "multiply_by_four_warps": template(
        ("operand_at", "multiply_by_warps"),
        f"""
// Four warps add a product of two tiles to a fragment.
template <bool LeftAcross, bool RightAcross, int Depth, int Tiles, int Cols, typename T, int R, int C, int R2, int C2>
__device__ __forceinline__ void multiply_by_four_warps(float (&sums)[Tiles][Cols][2][2], shared_tile<T, R, C> left, int row,
    int left_k, shared_tile<T, R2, C2> right, int k, int col) {{
#ifdef {HOPPER}
  wgmma_begin(sums);
  #pragma unroll
  for (int n = 0; n < Depth; n += 32 / (int)sizeof(T)) {{
    #pragma unroll
    for (int i = 0; i < Tiles; ++i) {{
      const operand_descriptor a =
          LeftAcross ? operand_at<true>(left, left_k + n, row + 64 * i) : operand_at<false>(left, row + 64 * i, left_k + n);
      const operand_descriptor b = RightAcross ? operand_at<false>(right, col, k + n) : operand_at<true>(right, k + n, col);
      wgmma<LeftAcross, !RightAcross>(sums[i], a, b, T());
    }}
  }}
  wgmma_end(sums);
#else
  multiply_by_warps<64, LeftAcross, RightAcross, Depth>(sums, left, row, left_k, right, k, col);
#endif
}}
""",
    ),
    "multiply_loaded": template(
        ("operand_at", "multiply_by_warps"),
        f"""
// Four warps add a product of TF32 to a fragment. The rows of the left tile are the summands, so its elements go to registers.
template <bool RightAcross, int Depth, int Tiles, int Cols, int R, int C, int R2, int C2>
__device__ __forceinline__ void multiply_loaded(float (&sums)[Tiles][Cols][2][2], shared_tile<float, R, C> left, int row,
    int left_k, shared_tile<float, R2, C2> right, int k, int col) {{
#ifdef {HOPPER}
  unsigned a[Tiles][Depth / 8][4];
  #pragma unroll
  for (int i = 0; i < Tiles; ++i) {{
    #pragma unroll
    for (int n = 0; n < Depth; n += 8) {{
      left_operand<true>(a[i][n / 8], left, row + 64 * i + threadIdx.x % 128 / 32 * 16, left_k + n);
    }}
  }}
  wgmma_begin(sums, a);
  #pragma unroll
  for (int n = 0; n < Depth; n += 8) {{
    #pragma unroll
    for (int i = 0; i < Tiles; ++i) {{
      wgmma_of_registers<false>(sums[i], a[i][n / 8], operand_at<false>(right, col, k + n), float());
    }}
  }}
  wgmma_end(sums, a);
#else
  multiply_by_warps<64, true, RightAcross, Depth>(sums, left, row, left_k, right, k, col);
#endif
}}
""",
    ),
    "multiply_registers": template(
        ("operand_at", "multiply_by_warps"),
        f"""
template <bool RightAcross, int Depth, int Tiles, int Cols, int Pairs, typename T, int R, int C>
__device__ __forceinline__ void multiply_by_four_warps(float (&sums)[Tiles][Cols][2][2], unsigned (&left)[Tiles][Pairs][2],
    shared_tile<T, R, C> right, int k, int col) {{
#ifdef {HOPPER}
  wgmma_begin(sums, left);
  #pragma unroll
  for (int n = 0; n < Depth; n += 16) {{
    #pragma unroll
    for (int i = 0; i < Tiles; ++i) {{
      const unsigned a[4] = {{left[i][n / 8][0], left[i][n / 8][1], left[i][n / 8 + 1][0], left[i][n / 8 + 1][1]}};
      const operand_descriptor b = RightAcross ? operand_at<false>(right, col, k + n) : operand_at<true>(right, k + n, col);
      wgmma_of_registers<!RightAcross>(sums[i], a, b, T());
    }}
  }}
  wgmma_end(sums, left);
#else
  multiply_by_warps<64, RightAcross, Depth>(sums, left, right, k, col);
#endif
}}
""",
    ),
    "pipeline_turn": template(
        (),
        """
// The copy of the shared arrays of a pipelined loop that is used next, and whether all of them have been used an odd number of
// times.
template <int Stages>
struct pipeline_turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};
""",
    ),
    "start_barriers": template(
        ("barriers",),
        """
template <int Count>
__device__ __forceinline__ void start_barriers(uint64_t* barriers, unsigned arrivals) {
  #pragma unroll
  for (int n = 0; n < Count; ++n) {
    start_barrier(barriers[n], arrivals);
  }
}
""",
    ),
    "leave_stage": template(
        ("barriers",),
        """
__device__ __forceinline__ void leave_stage(uint64_t& empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    arrive_at_barrier(empty);
  }
}
""",
    ),
    "bulk_copy": template(
        ("shared_tile", "barriers"),
        f"""
// The place of a tile for bulk copies: far outside of the array, where it is beyond 32 bits.
__device__ __forceinline__ int place_of_tile(long long at) {{
  return (int)(at < -{MOST_EXTENT} ? -{MOST_EXTENT} : at > {MOST_EXTENT} ? {MOST_EXTENT} : at);
}}

// Start the copy of a tile, from (row, col) on, which completes a barrier.
template <typename T, int Rows, int Cols, typename... Lead>
__device__ __forceinline__ void bulk_copy(shared_tile<T, Rows, Cols> to, const CUtensorMap& map, uint64_t& barrier,
    long long col, long long row, Lead... lead) {{
  typedef shared_tile<T, Rows, Cols> Tile;
  expect_bytes(barrier, Rows * Cols * sizeof(T));
  #pragma unroll
  for (unsigned n = 0; n * Tile::row_bytes < Cols * sizeof(T); ++n) {{
    copy_box(to.data + n * Tile::panel_bytes, map, barrier, place_of_tile(col) + (int)(n * Tile::row_bytes / sizeof(T)),
        place_of_tile(row), (int)lead...);
  }}
}}
""",
    ),
}


PACKED = """
[[maybe_unused]] __device__ __forceinline__ {cuda} element_{elem}(unsigned pair, int part) {{
  const unsigned short bits = (unsigned short)(pair >> 16 * part);
  {cuda} x;
  memcpy(&x, &bits, sizeof x);
  return x;
}}

[[maybe_unused]] __device__ __forceinline__ unsigned packed_{elem}({cuda} x, {cuda} y) {{
  unsigned short low, high;
  memcpy(&low, &x, sizeof low);
  memcpy(&high, &y, sizeof high);
  return (unsigned)high << 16 | low;
}}

[[maybe_unused]] __device__ __forceinline__ void set_{elem}(unsigned& pair, int part, {cuda} x) {{
  unsigned short bits;
  memcpy(&bits, &x, sizeof bits);
  pair = (pair & ~(0xffffu << 16 * part)) | (unsigned)bits << 16 * part;
}}

[[maybe_unused]] __device__ __forceinline__ unsigned rounded_{elem}(float x, float y) {{
  const {vector} both = {conversion}(x, y);
  unsigned pair;
  memcpy(&pair, &both, sizeof pair);
  return pair;
}}
"""
PACKED_TYPES = {
    "half": ("__half", "__half2", "__floats2half2_rn"),
    "bf16": ("__nv_bfloat16", "__nv_bfloat162", "__floats2bfloat162_rn"),
}


def packed(elem: str) -> Helper:
    """What fragments of 16-bit numbers need, of which a register has two."""
    cuda, vector, conversion = PACKED_TYPES[elem]
    return template((), PACKED.format(elem=elem, cuda=cuda, vector=vector, conversion=conversion))


DECLARED = re.compile(
    r"^(?:(?:\[\[\w+\]\] )?__device__ __forceinline__ \w+|struct|typedef .*)\s(\w+)[ ({;]", re.MULTILINE
)


def helper_names() -> set[str]:
    """All names that helpers declare."""
    made = [*(copy_box(n) for n in (2, 5)), *(packed(e) for e in PACKED_TYPES)]
    made += [warp_product("float", "tf32"), *(wgmma("float", "tf32", 8, own) for own in (False, True))]
    return {name for h in (*HELPERS.values(), *made) for name in DECLARED.findall(h.text)}


def in_order(wanted: dict[str, Helper]) -> list[Helper]:
    """These helpers and those that they use, each once, after what it uses; instructions first."""
    out: dict[str, Helper] = {}

    def add(name: str, helper: Helper) -> None:
        if name not in out:
            for used in helper.uses:
                add(used, HELPERS[used])
            out[name] = helper

    for name, helper in wanted.items():
        add(name, helper)
    return sorted(out.values(), key=lambda h: not h.machine)


def helper_lines(wanted: dict[str, Helper]) -> list[str]:
    """The text of helpers."""
    helpers = in_order(wanted)
    machine = [re.sub(r"\n+$", "\n", h.text) for h in helpers if h.machine]
    lines: list[str] = []
    if machine:
        lines += ["#ifdef __CUDACC__", *"\n".join(machine).rstrip("\n").split("\n"), "#endif", ""]
    for h in helpers:
        if not h.machine:
            lines += [*h.text.strip("\n").split("\n"), ""]
    return lines
