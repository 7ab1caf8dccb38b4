// Two claims on neighbouring parts of an array are one where a loop spans them.
// expect: VERIFIED
// also: annotated, replay
// mutate: "i < n; i++" -> "i <= n; i++" => REFUTED[OG302] a[i] = a[i] + 1;
// mutate: "i < m ? A(i)" -> "i <= m ? A(i)" => UNPROVED[OG361] A(i) : B(i)) + 1");
// mutate: "for i in m..n ->" -> "for i in m + 1..n ->" => UNPROVED[OG361] B(i)) + 1");
// mutate: "for i in m..n ->" -> "for i in m - 1..n ->" => REFUTED[OG332] for i in m - 1..n -> &a[i] ~~> B(i)

void values(int n, int m, float a[n]) {
  __requires("0 <= m && m <= n");
  __requires("A: int -> float, B: int -> float");
  __consumes("for i in 0..m -> &a[i] ~~> A(i)");
  __consumes("for i in m..n -> &a[i] ~~> B(i)");
  __produces("for i in 0..n -> &a[i] ~~> (i < m ? A(i) : B(i)) + 1");
  for (int i = 0; i < n; i++) a[i] = a[i] + 1;
}
