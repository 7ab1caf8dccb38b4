// The sum of 1 << logN numbers by halving, in place.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "t < 1 << (i - 1); t++" -> "t < (2 << i) / 4; t++" => VERIFIED
// mutate: "i > 0; i--" -> "i > 1; i--" => REFUTED[OG305] &s[0] ~~> Sum(i in 0..1 << logN, A(i))
// mutate: "s[t] + s" -> "s[t] - s" => REFUTED[OG305] &s[0] ~~> Sum(i in 0..1 << logN, A(i))
// mutate: "t < 1 << (i - 1); t++" -> "t <= 1 << (i - 1); t++" => REFUTED[OG302] s[t + (1 << (i - 1))]
// mutate: "t < 1 << (i - 1); t++" -> "t < (1 << (i - 1)) - 1; t++" => REFUTED[OG318] for (int i = logN; i > 0; i--)
// mutate: "0 <= logN && logN <= 20" -> "0 <= logN && logN <= 40" => UNPROVED[OG312] 1 << logN]) {

void tree_reduce(int logN, float s[1 << logN]) {
  __requires("A: int -> float, 0 <= logN && logN <= 20");
  __consumes("s ~> Matrix1(1 << logN, A)");
  __produces("&s[0] ~~> Sum(i in 0..1 << logN, A(i)), for i in 1..1 << logN -> &s[i] ~> UninitCell");
  for (int i = logN; i > 0; i--) {
    for (int t = 0; t < 1 << (i - 1); t++) {
      s[t] = s[t] + s[t + (1 << (i - 1))];
    }
  }
}
