#include <optigpu.h>

// Listing 2.2: the sum in parallel parts, as the script of Listing 2.3 makes it from Listing 2.1. The thesis omits the annotations
// "for brevity"; here they are as the transformations keep and complete them. (It also calls `arr` and `N` `a` and `n` in places.)
__DECL(reduce_sum, "int * (int -> float) -> float");

__AXIOM(reduce_sum_empty, "forall (f: int -> float) -> 0.0f =. reduce_sum(0, f)");
__AXIOM(reduce_sum_add_right, "forall (n: int) (f: int -> float) (_: n >= 0) -> reduce_sum(n, f) +. f(n) =. reduce_sum(n + 1, f)");

float reduce(float* arr, int N) {
  __requires("A: int -> float, N % 128 == 0");
  __reads("arr ~> Matrix1(N, A)");
  __ensures("_Res =. reduce_sum(N, A)");

  float sum = 0.0f;
  __ghost(rewrite_float_linear, "inside := fun v -> &sum ~~> v, by := reduce_sum_empty(A)");
  float* const psums = MALLOC1(float, exact_div(N, 128));
  #pragma omp parallel for
  for (int bi = 0; bi < exact_div(N, 128); bi++) {
    __xconsumes("&psums[bi] ~> UninitCell");
    __xproduces("&psums[bi] ~~> reduce_sum(128 * bi + 128, A) - reduce_sum(128 * bi, A)");
    psums[bi] = 0.0f;
    for (int i = 0; i < 128; i++) {
      __spreserves("&psums[bi] ~~> reduce_sum(bi * 128 + i, A) - reduce_sum(128 * bi, A)");
      psums[bi] += arr[bi * 128 + i];
      __ghost(in_range_bounds, "x := bi * 128 + i", "i_geq_0 <- lower_bound");
      __ghost(rewrite_float_linear, "inside := fun v -> &psums[bi] ~~> v - reduce_sum(128 * bi, A), by := reduce_sum_add_right(bi * 128 + i, A, i_geq_0)");
    }
  }
  for (int bi = 0; bi < exact_div(N, 128); bi++) {
    __spreserves("&sum ~~> reduce_sum(bi * 128, A)");
    sum += psums[bi];
  }
  free(psums);
  __ghost(eq_refl_float, "x := reduce_sum(N, A)");
  return sum;
}
