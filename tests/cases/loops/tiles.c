// A tiled loop whose guard cuts off the last tile.
// expect: VERIFIED
// mutate: "if (8 * t + i < n)" -> "if (8 * t + i <= n)" => REFUTED[OG302] a[8 * t + i] = 2 * (8 * t + i);
// mutate: "if (8 * t + i < n)" -> "if (true)" => REFUTED[OG302] a[8 * t + i] = 2 * (8 * t + i);
// mutate: "(n + 7) / 8" -> "n / 8" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 2 * i)
// mutate: "(n + 7) / 8" -> "(n + 6) / 8" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 2 * i)
// mutate: "i < 8" -> "i < 7" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 2 * i)
// mutate: "a[8 * t + i] = 2 * (8 * t + i)" -> "a[8 * t + i] = 2 * (8 * t)" => REFUTED[OG305] a ~> Matrix1(n, fun i -> 2 * i)

void tiles(int n, float a[n]) {
  __requires("size: n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 2 * i)");
  for (int t = 0; t < (n + 7) / 8; t++) {
    for (int i = 0; i < 8; i++) {
      if (8 * t + i < n) {
        a[8 * t + i] = 2 * (8 * t + i);
      }
    }
  }
}
