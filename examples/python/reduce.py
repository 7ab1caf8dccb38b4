"""Listing 2.1 of the OptiGPU thesis: the sum of an array, with its invariant and its proof steps written out."""

import optigpu as og

og.declare("reduce_sum", "int * (int -> float) -> float")
og.axiom("reduce_sum_empty", "forall (f: int -> float) -> 0.f =. reduce_sum(0, f)")
og.axiom(
    "reduce_sum_add_right",
    "forall (n: int) (f: int -> float) (_: n >= 0) -> reduce_sum(n, f) +. f(n) =. reduce_sum(n + 1, f)",
)


@og.program
@og.requires("A: int -> float")
@og.reads("arr ~> Matrix1(N, A)")
@og.ensures("_Res =. reduce_sum(N, A)")
def reduce(arr: og.f32[...], N: int) -> og.f32:
    sum = 0.0
    og.ghost("rewrite_float_linear", "inside := (fun v -> &sum ~~> v), by := reduce_sum_empty(A)")
    for i in og.range(N):
        og.spreserves("&sum ~> reduce_sum(i,A)")
        sum += arr[i]
        og.ghost("in_range_bounds", "i", "i_geq_0 <- lower_bound")
        og.ghost("rewrite_float_linear", "inside := (fun v -> &sum ~~> v), by := reduce_sum_add_right(i, A, i_geq_0)")
    og.ghost("eq_refl_float", "reduce_sum(N, A)")
    return sum
