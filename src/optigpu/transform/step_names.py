"""Names of steps that do not exist, with the steps that are meant by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from optigpu.script.call_site import call_site
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.source import NOWHERE, Loc

MAX_PROPOSED = 3

# A name of other tools -> steps that do it.
SYNONYMS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("interchange", "permute", "exchange", "reorder_loops", "transpose_loops"), ("loop.reorder", "loop.swap")),
    **dict.fromkeys(("split", "strip_mine", "stripmine", "block", "blocking", "chunk", "tiling"), ("loop.tile",)),
    **dict.fromkeys(("fuse", "merge", "jam", "join"), ("loop.fusion",)),
    **dict.fromkeys(("distribute", "fiss", "loop_split", "separate"), ("loop.fission",)),
    **dict.fromkeys(("peel", "cut", "split_loop", "divide"), ("loop.split_range",)),
    **dict.fromkeys(("unswitch", "specialize", "specialise", "version", "guard"), ("loop.fast_path",)),
    **dict.fromkeys(("flatten", "coalesce", "linearize"), ("loop.collapse",)),
    **dict.fromkeys(("vectorise", "vectorize", "vector", "float4"), ("gpu.vectorize", "loop.simd")),
    **dict.fromkeys(("parallelize", "parallelise", "parallel_for", "threads"), ("loop.parallel", "gpu.launch")),
    **dict.fromkeys(("kernel", "to_gpu", "offload", "map", "bind_threads", "device"), ("gpu.launch",)),
    **dict.fromkeys(("shared", "cache", "cache_read", "stage_mem", "shared_memory", "smem", "copy_tile"), ("matrix.stage",)),
    **dict.fromkeys(("registers", "register", "accumulate"), ("variable.local_name", "gpu.convert_to_register_mem")),
    **dict.fromkeys(("transpose", "layout", "permute_dims"), ("matrix.reorder_dims",)),
    **dict.fromkeys(("reduction", "reduce", "partial", "partial_sums", "rfactor", "split_k"), ("reduce.parts", "reduce.tree")),
    **dict.fromkeys(("warp_reduce", "shuffle"), ("reduce.warp",)),
    **dict.fromkeys(("prefix_sum", "cumsum", "prefix"), ("reduce.scan",)),
    **dict.fromkeys(("move", "hoist_invariant", "licm", "invariant"), ("loop.move_out", "loop.hoist_expr", "instr.move")),
    **dict.fromkeys(("double_buffer", "pipeline"), ("loop.prefetch",)),
    **dict.fromkeys(("sync", "barrier", "syncthreads", "blocksync"), ("gpu.launch", "gpu.remove_redundant_barriers")),
    **dict.fromkeys(("substitute", "inline_var", "forward"), ("variable.inline",)),
}  # fmt: skip


class UnknownStep(InputError, AttributeError):
    """A script names a step or a group that does not exist. As an AttributeError, it is what `hasattr` expects."""


def unknown_step(group: str, name: str, steps: Mapping[str, Sequence[str]]) -> UnknownStep:
    """The error for `s.group.name`, or for `s.name` if the group is "". `steps`: the names of the steps of each group."""
    proposed = _meant(group, name, steps)
    if proposed:
        help_ = f"did you mean {' or '.join(f's.{p}' for p in proposed)}?"
    elif group:
        help_ = f"s.{group} has {', '.join(steps[group])}"
    else:
        help_ = f"groups of steps: {', '.join(f's.{g}' for g in steps)}"
    what = f"there is no step `{group}.{name}`" if group else f"a script has no `{name}`"
    return UnknownStep(Diagnostic("OG601", what, _place(name), help=help_))


def _meant(group: str, name: str, steps: Mapping[str, Sequence[str]]) -> list[str]:
    """The steps that are meant: a synonym, the same name in another group, or similar names, those of the group first."""
    word = name.lower().strip("_")
    every = [f"{g}.{step}" for g, names in steps.items() for step in names]
    if not group and (near := get_close_matches(word, list(steps), 1)):
        return near
    synonyms = [step for step in SYNONYMS.get(word, ()) if step in every]
    same = [step for step in every if step.split(".")[1] == word]
    own = [f"{group}.{step}" for step in get_close_matches(word, steps.get(group, ()), MAX_PROPOSED)]
    others = {step.split(".")[1]: step for step in every}
    similar = [others[step] for step in get_close_matches(word, others, MAX_PROPOSED)]
    return list(dict.fromkeys(synonyms or same or own or similar))[:MAX_PROPOSED]


def _place(name: str) -> Loc:
    """Where the running line of the script has the name."""
    site = call_site()
    column = site.source.find(f".{name}") + 2
    if not site.line or column < 2:
        return site.loc if site.line else NOWHERE
    return Loc(site.file, site.line, column, site.line, column + len(name))
