"""Names of the public OptiTrust library that mean nothing here, with what to write instead."""

from __future__ import annotations

_NOTHING = "leave it out: "
_FOCUS = _NOTHING + "what is focused stays held, so nothing has to be put back"
_SHARES = _NOTHING + "shares for reading are not counted"
_LAYOUT = _NOTHING + "permissions are compared by their cells, however their indices are written"
_PROVED = _NOTHING + "equations of numbers are proved where they are needed"
_PROVE = 'prove it: __ASSERT("P"); or state it: __requires("P"), or outside of functions __AXIOM(name, "P")'
_THREADS = _NOTHING + "a group of threads is known by its number of threads"
_SHARED = _NOTHING + "shared memory is counted in bytes against the launch"
_LOGIC = "in __ensures: _Res == v"
_COPY = "a loop that copies the elements; on the device memcpy_device_to_device1"

INSTEAD: dict[str, str] = {
    # ghosts
    "assume": _PROVE, "to_prove": _PROVE, "admit": _PROVE,
    "define": '__DEF(name, "fun (i: int) -> …") outside of functions', "assert_alias": '__ASSERT("x == y")',
    "hide": _FOCUS, "hide_rev": _FOCUS, "wand_simplify": _FOCUS, "Wand": _FOCUS,
    **dict.fromkeys(("ro_split3", "ro_split4", "ro_allow_join2", "ro_allow_join3", "ro_allow_join4", "ro_fork_group",
                     "ro_join_group", "ro_distribute_group", "ro_factorize_group"), _SHARES),
    **dict.fromkeys(("mindex2_unfold", "mindex2_fold", "mindex3_unfold", "mindex3_fold", "ro_mindex2_unfold", "ro_mindex2_fold",
                     "ro_mindex3_unfold", "ro_mindex3_fold", "matrix2_contiguous", "matrix3_contiguous", "mindex2_contiguous",
                     "mindex2_contiguous_rev", "mindex3_contiguous", "mindex3_contiguous_rev", "matrix2_span_shift",
                     "matrix3_span_shift", "dmindex2_tile", "dmindex2_untile"), _LAYOUT),
    **dict.fromkeys(("group2_focus_subrange", "group2_unfocus_subrange"), "group_focus_subrange for each i, in a loop"),
    "pure_group_split": "forall i in a..b -> P(i) implies it for a part of the range",
    "pure_group_join": '__ASSERT("forall i in a..b -> P(i)")',
    "rewrite_threadsctx_sz": _THREADS, "rewrite_threadsctx_sz1": _THREADS, "rewrite_range": _THREADS,
    "rewrite_linear_range": _THREADS,
    "take_smem_token": _SHARED, "give_smem_token": _SHARED, "SMemToken": "SMemAllowance", "SMemAlloc": "SMemAllowance",
    "kill_threads": "kernel_teardown_begin();", "kernel_end_sync": "kernel_teardown_begin();", "DeadKernelCtx": "KernelTeardownCtx",
    # older spellings, `_ro` and `_uninit` at the end
    **{old: new for stem in ("group_focus", "group_unfocus", "matrix1_focus", "matrix1_unfocus", "matrix2_focus", "matrix2_unfocus")
       for old, new in ((stem.replace("_", "_ro_", 1), "ro_" + stem), (stem.replace("_", "_uninit_", 1), stem))},
    **{f"{stem}_{kind}": ("ro_" + stem if kind == "ro" else f"{stem}, with cells ~> UninitCell")
       for stem in ("group_collapse", "group_uncollapse", "group_focus_subrange", "group_unfocus_subrange", "group_shift",
                    "group_unshift", "group_scale", "group_unscale", "group_split", "group_join") for kind in ("ro", "uninit")},
    "uninit_swap_groups": "swap_groups, with cells ~> UninitCell",
    "uninit_swap_groups_rev": "swap_groups_rev, with cells ~> UninitCell",
    # formulas
    "range_plus": "a ..+ n", "counted_range": "a ..+ n", "range_count": "b - a", "range_eq": "the equations of both ends",
    "arbitrary": '__DECL(f, "int -> float")',
    "eq_refl": _PROVED, "eq_sym": _PROVED, "eq_trans": _PROVED, "zero_mul_intro": _PROVED, "plus_zero_intro": _PROVED,
    "add_assoc_right": _PROVED, "mul_add_factor": _PROVED,
    "reduce_sum": "Sum(k in 0..n, A(k))", "reduce_int_sum": "Sum(k in 0..n, A(k))",
    "Matrix0": "p ~~> v", "UninitMatrix0": "p ~> UninitCell",
    "__spec_override_ret": _LOGIC, "__spec_override_noret": _LOGIC, "__spec_override_ret_implicit": _LOGIC,
    # annotations
    "__PROOF": '__ASSERT(name, "P")', "__PROOF_OF": '__ASSERT(name, "P")', "__DEF_TYPED": '__DEF(name, "fun (i: int) -> …")',
    "__GHOST_BEGIN_CUSTOM": "__ghost(first); … __ghost(second);", "__with_reverse": "__ghost(first); … __ghost(second);",
    "__call_with": 'T x = f(…); __with("A := …");', "__bind": '__ghost(g, "arguments", "name <- result")',
    "__clear": _NOTHING + "facts that are not needed do no harm",
    "__parallel_reads": "__sreads", "__sequentially_reads": "__sreads", "__sequentially_modifies": "__spreserves",
    "__ghost_begin": "__GHOST_BEGIN(label, ghost, \"arguments\")", "__ghost_end": "__GHOST_END(label)",
    "__threadfor": "thread for (int i = 0; i < n; i++)", "__magic_threadfor": "magic thread for (int i = 0; i < n; i++)",
    "__device": "__device__ before the function", "__device_call": _NOTHING + "a device function is called like any other",
    # C
    "MALLOC": "float x[1];", "MALLOC0": "float x[1];", "CALLOC0": "float x[1] = {0};", "calloc": "CALLOC1(float, n)",
    **{f"MFREE{n}": "free(p);" for n in range(5)}, "MMEMCPY": _COPY, "ANY": "the number itself",
    **{f"MATRIX{n}_COPY_{t}": _COPY for n in (1, 2, 3) for t in ("int", "float", "double", "uint8_t", "uint16_t")},
    **{f"__{op}": "the operator of C"
       for op in ("add", "sub", "mul", "div", "mod", "exact_div", "minus", "eq", "get", "set", "ref")},
}  # fmt: skip
