// Iterations of a magic thread loop are independent.
// expect: VERIFIED
// run: clean
// mutate: "h[i] = 2.0f * h[i]" -> "h[i] = 2.0f * h[n - 1 - i]" => REFUTED[OG324] h[i] = 2.0f * h[n - 1 - i];
//   run: OG210 h[n - 1 - i];
// mutate: "h[n - 1 - i] += 1.0f" -> "h[0] += 1.0f" => REFUTED[OG324] h[0] += 1.0f;
//   run: OG210 h[0]
//   also: schedules

void f(int n, float h[n]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> 2 * A(i) + 1)");
  magic thread for (int i = 0; i < n; i++) h[i] = 2.0f * h[i];
  magic_barrier();
  magic thread for (int i = 0; i < n; i++) h[n - 1 - i] += 1.0f;
}
