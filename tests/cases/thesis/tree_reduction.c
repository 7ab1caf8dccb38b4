// The tree reduction that section 7.3 verifies by itself, for any power of two, with loop contracts of which one has no value.
// program: examples/thesis/tree_reduction.c
// expect: VERIFIED
// run: clean
// also: replay, annotated
// mutate: "1 << (i - 1)) {" -> "(1 << i) / 2) {" => VERIFIED
// mutate: "a[t] + a[t + (1 << (i - 1))]" -> "a[t] + (&a[1 << (i - 1)])[t]" => VERIFIED
// mutate: "t < 1 << (i - 1)" -> "t <= 1 << (i - 1)" => REFUTED[OG302] a[t + (1 << (i - 1))]
// mutate: "a[t + (1 << (i - 1))]" -> "a[t + (1 << (i - 1)) - 1]" => REFUTED[OG302] a[t + (1 << (i - 1)) - 1]
// mutate: "A(t + j * (1 << i))" -> "A(t + j * (1 << (i - 1)))" => REFUTED[OG318] for (int i = logN; i > 0; i--)
// mutate: "0..1 << (logN - i)" -> "0..logN - i + 1" => REFUTED[OG318] for (int i = logN; i > 0; i--)
// mutate: "for t in 0..1 << i" -> "for t in 0..2 << i" => REFUTED[OG322] for t in 0..2 << i
// mutate: "Sum(j in 0..1 << logN, A(j))" -> "Sum(j in 1..1 << logN, A(j))" => REFUTED[OG305] &a[0] ~~> Sum(j in 1..1 << logN, A(j))
// mutate: "0 <= logN && logN <= 20" -> "logN <= 20" => UNPROVED[OG361] 1 << logN]) {
