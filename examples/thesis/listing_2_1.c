#include <optigpu.h>

// Listing 2.1: the sum of an array, with its loop contract and its proof steps written out.
// Ours differs in three ways. The thesis leaves out the two axioms that say what `reduce_sum` is. Strings end on their line, as in C.
// The precondition says that 128 divides N, which the script of Listing 2.3 needs (`TileDivides`).
__DECL(reduce_sum, "int * (int -> float) -> float");
__AXIOM(reduce_sum_empty, "forall (f: int -> float) -> 0.f =. reduce_sum(0, f)");
__AXIOM(reduce_sum_add_right, "forall (n: int) (f: int -> float) (_: n >= 0) -> reduce_sum(n, f) +. f(n) =. reduce_sum(n + 1, f)");

float reduce(float *arr, int N) {
  __requires("A: int -> float, N % 128 == 0");
  __reads("arr ~> Matrix1(N, A)");
  __ensures("_Res =. reduce_sum(N, A)");

  float sum = 0.f;
  __ghost(rewrite_float_linear, "inside := (fun v -> &sum ~~> v), by := reduce_sum_empty(A)");
  for (int i = 0; i < N; i++) {
    __spreserves("&sum ~> reduce_sum(i,A)");
    sum += arr[i];
    __ghost(in_range_bounds, "i", "i_geq_0 <- lower_bound");
    __ghost(rewrite_float_linear, "inside := (fun v -> &sum ~~> v), by := reduce_sum_add_right(i, A, i_geq_0)");
  }
  __ghost(eq_refl_float, "reduce_sum(N, A)");
  return sum;
}
