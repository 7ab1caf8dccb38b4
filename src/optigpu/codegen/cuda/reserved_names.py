"""Names that C allows and that mean something else in an emitted CUDA file."""

from __future__ import annotations

import re

from optigpu.codegen.cuda.device_code_printer import VECTOR_TYPES
from optigpu.codegen.cuda.tile_helpers import helper_names
from optigpu.codegen.cuda.tiles import PIPELINE_CALLS
from optigpu.syntax.builtins import NUMERIC
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Call
from optigpu.syntax.program import Decl, For, Function, Role
from optigpu.syntax.walk import body_subexpressions, statements

RESERVED_WORDS = (
    "alignas alignof and asm auto bool catch char16_t char32_t char8_t class concept consteval constexpr constinit const_cast "
    "decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not nullptr operator or private "
    "protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid "
    "typename using virtual wchar_t xor and_eq or_eq not_eq xor_eq bitand bitor compl "
    "threadIdx blockIdx blockDim gridDim warpSize dim3 size_t uintptr_t std shared_memory shared_bytes stream result message "
    "failure failed TRY host_array device_array scratch_array scratch_pool size_product blocks "
    "load2 load4 load8 store2 store4 store8 adjacent rounded_to_tf32 fast_expf "
    "mma mma_tf32 mma_tf32x3 tf32 tf32_high tf32_rest "
    "blocks_x blocks_y blocks_z first_y first_z slice_y slice_z NULL INFINITY snprintf "
    "tile_describer describe_tiles has_bulk_copies"
)
RENAMED = ("result",)  # parameters of entry points, which hide variables of the function: these get other names
CUDA_API = re.compile(r"cuda[A-Z]")
VECTORS = {f"{make}{stem}{width}" for make in ("", "make_") for stem in VECTOR_TYPES.values() for width in (2, 4)}
RESERVED = frozenset({*RESERVED_WORDS.split(), *VECTORS, *helper_names(), *PIPELINE_CALLS})


def reject_reserved(f: Function, entry: str) -> None:
    """Raise OG405 for a name of the program that means something else in the emitted file."""
    names = [(s.name, s.loc) for s in statements(f.body) if isinstance(s, Decl)]
    names += [(s.index, s.loc) for s in statements(f.body) if isinstance(s, For)]
    if f.name == entry:
        names = [(name, loc) for name, loc in names if name not in RENAMED]
    names += [(p.name, p.loc) for p in f.params]
    if f.role is Role.DEVICE or CUDA_API.match(f.name) or f.name in RESERVED:
        names.append((f.name, f.loc))
    called = {x.func for x in body_subexpressions(f.body) if isinstance(x, Call)}
    ours = (f"{entry}_kernel", f"launch_{entry}_kernel", f"check_{entry}", f"{entry}_on_device")
    for name, loc in names:
        hides = name in NUMERIC and name in called  # its call would call the variable
        if name in RESERVED or hides or name.startswith(("__", "cuda", *ours)):
            raise input_error("OG405", f"`{name}` means something else in CUDA C++", loc, help="choose another name")
