"""The rules of the built-in functions of GPU programs, as contracts in the language (sections 4.1 to 4.4 of the thesis).

A program may declare a built-in function by its contract. The declaration is compared with these texts; it adds nothing, since the
kernel's own rules are used. `TYPE` stands for the element type.
"""

from __future__ import annotations

TRANSITIONS: dict[str, str] = {
    "kernel_launch": """void kernel_launch(int bpg, int tpb, int smem_sz) {
  __consumes("HostCtx");
  __produces("KernelSetupCtx");
  __produces("KernelParams(bpg, tpb, smem_sz)");
  __produces("SMemAllowance(smem_sz)");""",
    "kernel_setup_end": """void kernel_setup_end() {
  __requires("bpg: int, tpb: int, smem_sz: int, grid_sz: int");
  __requires("by: bpg * tpb == grid_sz");
  __consumes("KernelSetupCtx");
  __produces("ThreadsCtx(0 ..+ grid_sz)");
  __preserves("KernelParams(bpg, tpb, smem_sz)");
  __produces("SMemAllowance(0)");""",
    "kernel_teardown_begin": """void kernel_teardown_begin() {
  __requires("bpg: int, tpb: int, smem_sz: int, grid_sz: int");
  __requires("by: bpg * tpb == grid_sz");
  __consumes("ThreadsCtx(0 ..+ grid_sz)");
  __produces("KernelTeardownCtx");
  __preserves("KernelParams(bpg, tpb, smem_sz)");
  __preserves("SMemAllowance(0)");""",
    "kernel_kill": """void kernel_kill() {
  __requires("tpb: int, bpg: int, smem_sz: int");
  __consumes("KernelParams(bpg, tpb, smem_sz)");
  __consumes("KernelTeardownCtx");
  __consumes("SMemAllowance(smem_sz)");
  __produces("HostCtx");""",
    "kernel_teardown_sync": """void kernel_teardown_sync() {
  __requires("H: HProp");
  __reads("KernelTeardownCtx");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");""",
}

BARRIERS: dict[str, str] = {
    "blocksync": """void blocksync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");""",
    "warpsync": """void warpsync() {
  __requires("H: HProp, t: int");
  __preserves("ThreadsCtx(t ..+ 32)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");""",
}


def _accesses(stem: str, memory: str) -> dict[str, str]:
    """Reading and writing a cell, by one thread."""
    return {
        f"__{stem}_get": f"""TYPE __{stem}_get(TYPE* p) {{
  __requires("v: TYPE, t: int");
  __reads("ThreadsCtx(t ..+ 1)");
  __reads("p ~~>[{memory}] v");
  __ensures("_Res == v");""",
        f"__{stem}_set": f"""void __{stem}_set(TYPE* p, TYPE v) {{
  __requires("t: int");
  __preserves("ThreadsCtx(t ..+ 1)");
  __writes("p ~~>[{memory}] v");""",
    }


def _copy(name: str, source: str, target: str) -> str:
    return f"""void {name}(TYPE* dest, TYPE* src, int N1) {{
  __requires("A: int -> TYPE");
  __preserves("HostCtx");
  __reads("for i in 0..N1 -> &src[i] ~~>{source} A(i)");
  __writes("for i in 0..N1 -> &dest[i] ~~>{target} A(i)");"""


_GLOBAL_CELLS = "for i in 0..N1 -> &_Res[i] ~>[GMem] UninitCell"
_SHARED_CELLS = "desync_for b in 0..bpg -> for i in 0..N1 -> &{}[DMINDEX1(bpg, b)][i] ~>[SMem] UninitCell"

MEMORY_RULES: dict[str, str] = {
    **_accesses("gmem", "GMem"),
    **_accesses("smem", "SMem"),
    **_accesses("treg", "TReg"),
    "gmem_malloc1": f"""TYPE* gmem_malloc1(int N1) {{
  __preserves("HostCtx");
  __produces("{_GLOBAL_CELLS}");
  __produces("Free(_Res, {_GLOBAL_CELLS})");""",
    "gmem_free": """void gmem_free(TYPE* p) {
  __requires("H: HProp");
  __preserves("HostCtx");
  __consumes("Free(p, H)");
  __consumes("H");""",
    "memcpy_host_to_device1": _copy("memcpy_host_to_device1", "", "[GMem]"),
    "memcpy_device_to_host1": _copy("memcpy_device_to_host1", "[GMem]", ""),
    "memcpy_device_to_device1": _copy("memcpy_device_to_device1", "[GMem]", "[GMem]"),
    "__smem_malloc1": f"""TYPE* __smem_malloc1(int N1) {{
  __requires("bpg: int, sz: int");
  __preserves("KernelSetupCtx");
  __reads("KernelParams(bpg, _, _)");
  __produces("{_SHARED_CELLS.format("_Res")}");
  __produces("Free(_Res, {_SHARED_CELLS.format("_Res")})");
  __consumes("SMemAllowance(sz + sizeof(TYPE) * N1)");
  __produces("SMemAllowance(sz)");""",
    "__smem_free1": f"""void __smem_free1(TYPE* p, int N1) {{
  __requires("bpg: int, sz: int");
  __preserves("KernelTeardownCtx");
  __reads("KernelParams(bpg, _, _)");
  __consumes("{_SHARED_CELLS.format("p")}");
  __consumes("Free(p, {_SHARED_CELLS.format("p")})");
  __consumes("SMemAllowance(sz)");
  __produces("SMemAllowance(sz + sizeof(TYPE) * N1)");""",
    "__treg_malloc0": """TYPE* __treg_malloc0() {
  __requires("t: int, sz: int");
  __preserves("ThreadsCtx(t ..+ sz)");
  __produces("desync_for i in 0..sz -> &_Res[DMINDEX1(sz, i)] ~>[TReg] UninitCell");""",
}

RULES: dict[str, str] = {**TRANSITIONS, **BARRIERS, **MEMORY_RULES}


# The thesis has SMemAllowance(0) produced where the setup ends; it is there already, so preserving it is the same.
ALSO_WRITTEN: dict[str, tuple[str, str]] = {
    "kernel_setup_end": ('__produces("SMemAllowance(0)")', '__preserves("SMemAllowance(0)")'),
}


def rule_text(rule: str, name: str, type_: str | None = None) -> str:
    """The rule of a built-in function, as the declaration of a function with this name; of a template if there is no type."""
    text = RULES[rule].replace(f"{rule}(", f"{name}(", 1) + "\n  __admitted();\n}"
    generic = type_ is None and "TYPE" in text
    return ("template <typename T>\n" if generic else "") + text.replace("TYPE", type_ or "T")
