"""Instructions that emitted kernels use for tiles, fragments and pipelined loops, each as a function of the device code.

They stand between `#ifdef __CUDACC__` and `#endif`: the CPU stand-in has functions of the same names in its header, which do what
the PTX manual says of these instructions.
"""

from __future__ import annotations

from collections.abc import Iterable

from optigpu.light_dataclass import dataclass

HOPPER = "__CUDA_ARCH_FEAT_SM90_ALL"  # defined where code is compiled for sm_90a


@dataclass(frozen=True)
class Helper:
    """A piece of device code, and the helpers that it uses, which come before it."""

    text: str
    uses: tuple[str, ...] = ()
    machine: bool = False


def template(uses: Iterable[str], text: str) -> Helper:
    return Helper(text, tuple(uses))


def machine(text: str) -> Helper:
    return Helper(text, (), True)


def _function(signature: str, instruction: str, operands: str, least: int = 80, unused: bool = False) -> str:
    """A function that is one instruction. `least`: the compute capability that has it; `unused`: where four warps multiply."""
    text = f'  asm volatile("{instruction}" {operands});\n'
    guarded = f"#if __CUDA_ARCH__ >= {least * 10}\n{text}#endif\n" if least > 80 else text
    attribute = "[[maybe_unused]] " if unused else ""
    return f"{attribute}__device__ __forceinline__ {signature} {{\n{guarded}}}\n"


SHARED = '"r"((unsigned)__cvta_generic_to_shared({}))'

INSTRUCTIONS: dict[str, Helper] = {
    "copy_async": machine(
        _function(
            "void copy_async(void* to, const void* from, int bytes)",
            "cp.async.cg.shared.global [%0], [%1], 16, %2;",
            f':: {SHARED.format("to")}, "l"(from), "r"(bytes) : "memory"',
        )
    ),
    "copies_commit": machine(_function("void copies_commit()", "cp.async.commit_group;", '::: "memory"')),
    "copies_wait": machine(
        "template <int Left>\n" + _function("void copies_wait()", "cp.async.wait_group %0;", ':: "n"(Left) : "memory"')
    ),
    "load_matrices": machine(
        "".join(
            _function(
                f"void {name}(unsigned (&to)[4], const void* row)",
                f"ldmatrix.sync.aligned.m8n8.x4{form}.shared.b16 {{%0, %1, %2, %3}}, [%4];",
                f': "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : {SHARED.format("row")} : "memory"',
                unused=True,
            )
            for name, form in (("load_matrices", ""), ("load_transposed", ".trans"))
        )
    ),
    "wgmma": machine(
        f"""\
#ifdef {HOPPER}
typedef unsigned long long operand_descriptor;

__device__ __forceinline__ operand_descriptor make_descriptor(const void* start, int lead, int stride, int row_bytes) {{
  const operand_descriptor swizzle = row_bytes == 128 ? 1 : row_bytes == 64 ? 2 : 3;
  const operand_descriptor address = (unsigned)__cvta_generic_to_shared(start) & 0x3ffff;
  return address >> 4 | (operand_descriptor)(lead >> 4) << 16 | (operand_descriptor)(stride >> 4) << 32 | swizzle << 62;
}}

// What is computed before has its registers here, and what comes after uses them from here on.
template <int Tiles, int Cols>
__device__ __forceinline__ void pin_registers(float (&x)[Tiles][Cols][2][2]) {{
  #pragma unroll
  for (int i = 0; i < Tiles * Cols * 4; ++i) {{
    asm volatile("" : "+f"(x[i / (4 * Cols)][i / 4 % Cols][i / 2 % 2][i % 2]) :: "memory");
  }}
}}

template <int Tiles, int Parts, int Each>
__device__ __forceinline__ void pin_registers(unsigned (&x)[Tiles][Parts][Each]) {{
  #pragma unroll
  for (int i = 0; i < Tiles * Parts * Each; ++i) {{
    asm volatile("" : "+r"(x[i / (Each * Parts)][i / Each % Parts][i % Each]) :: "memory");
  }}
}}

// Products use these registers between the two calls, and end with the second one.
template <typename... Registers>
__device__ __forceinline__ void wgmma_begin(Registers&... registers) {{
  (pin_registers(registers), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}}

template <typename... Registers>
__device__ __forceinline__ void wgmma_end(Registers&... registers) {{
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  (pin_registers(registers), ...);
}}
#endif
"""
    ),
    "fence_async": machine(_function("void fence_async()", "fence.proxy.async.shared::cta;", '::: "memory"', 90)),
    "barriers": machine(
        _function(
            "void start_barrier(uint64_t& barrier, unsigned arrivals)",
            "mbarrier.init.shared::cta.b64 [%0], %1;",
            f':: {SHARED.format("&barrier")}, "r"(arrivals) : "memory"',
        )
        + _function("void barriers_started()", "fence.mbarrier_init.release.cluster;", '::: "memory"', 90)
        + _function(
            "void arrive_at_barrier(uint64_t& barrier)",
            "mbarrier.arrive.shared::cta.b64 _, [%0];",
            f':: {SHARED.format("&barrier")} : "memory"',
        )
        + _function(
            "void await_barrier(uint64_t& barrier, unsigned parity)",
            "{\\n.reg .pred done;\\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\\n@!done bra again;\\n}",
            f':: {SHARED.format("&barrier")}, "r"(parity) : "memory"',
            90,
        )
        + _function(
            "void expect_bytes(uint64_t& barrier, unsigned bytes)",
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;",
            f':: {SHARED.format("&barrier")}, "r"(bytes) : "memory"',
            90,
        )
    ),
    "users_sync": machine(
        "template <int Threads>\n" + _function("void users_sync()", "bar.sync 1, %0;", ':: "n"(Threads) : "memory"')
    ),
    "registers": machine(
        "".join(
            f"template <int Count>\n__device__ __forceinline__ void {name}() {{\n#ifdef {HOPPER}\n"
            f'  asm volatile("setmaxnreg.{form}.sync.aligned.u32 %0;" :: "n"(Count));\n#endif\n}}\n'
            for name, form in (("fewer_registers", "dec"), ("more_registers", "inc"))
        )
    ),
}


def copy_box(rank: int) -> Helper:
    """A bulk copy of a box of an array with so many dimensions."""
    places = [f"%{n + 3}" for n in range(rank)]
    form = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    numbers = ", ".join(f'"r"(c{n})' for n in range(rank))
    return machine(
        _function(
            f"void copy_box(void* to, const CUtensorMap& map, uint64_t& barrier, {', '.join(f'int c{n}' for n in range(rank))})",
            f"{form} [%0], [%1, {{{', '.join(places)}}}], [%2];",
            f':: {SHARED.format("to")}, "l"(&map), {SHARED.format("&barrier")}, {numbers} : "memory"',
            90,
        )
    )


def warp_product(elem: str, name: str) -> Helper:
    """The product of 16 x 8 x 16 (of 16-bit numbers) or 16 x 8 x 8 (of TF32) by a warp."""
    depth = 8 if name == "tf32" else 16
    return machine(
        _function(
            f"void warp_product(float (&c)[2][2], const unsigned (&a)[4], unsigned b0, unsigned b1, {elem})",
            f"mma.sync.aligned.m16n8k{depth}.row.col.f32.{name}.{name}.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, "
            "{%0, %1, %2, %3};",
            ': "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[1][0]), "+f"(c[1][1])'
            ' : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)',
            unused=True,
        )
    )


def wgmma(elem: str, name: str, cols: int, registers: bool) -> Helper:
    """The product of 64 x 8 * cols x 16 (of TF32: x 8) by four warps, between `wgmma_begin` and `wgmma_end`."""
    depth, sums = (8 if name == "tf32" else 16), cols * 4
    results = ", ".join(f"%{n}" for n in range(sums))
    left = f"{{{', '.join(f'%{sums + n}' for n in range(4))}}}" if registers else f"%{sums}"
    right = sums + (4 if registers else 1)
    forms = "" if name == "tf32" else f", %{right + 1}" if registers else f", %{right + 1}, %{right + 2}"
    shape = f"m64n{8 * cols}k{depth}.f32.{name}.{name}"
    text = f"wgmma.mma_async.sync.aligned.{shape} {{{results}}}, {left}, %{right}, add, 1, 1{forms};"
    text = f"{{\\n.reg .pred add;\\nsetp.eq.b32 add, 1, 1;\\n{text}\\n}}"
    outs = ", ".join(f'"+f"(c[{n // 4}][{n // 2 % 2}][{n % 2}])' for n in range(sums))
    across = '"n"((int)RightRows)' if registers else '"n"((int)LeftRows), "n"((int)RightRows)'
    across = "" if name == "tf32" else f", {across}"
    a = ", ".join(f'"r"(a[{n}])' for n in range(4)) if registers else '"l"(a)'
    parameters = "bool RightRows" if registers else "bool LeftRows, bool RightRows"
    operand = "const unsigned (&a)[4]" if registers else "operand_descriptor a"
    function = "wgmma_of_registers" if registers else "wgmma"
    body = _function(
        f"void {function}(float (&c)[{cols}][2][2], {operand}, operand_descriptor b, {elem})",
        text,
        f': {outs} : {a}, "l"(b){across}',
    )
    return machine(f"#ifdef {HOPPER}\ntemplate <{parameters}>\n{body}#endif\n")
