// `a[i] = x = e` stores e in x, and then what x holds in a[i]: converted to the type of x first.
// expect: VERIFIED
// run: clean
// mutate: "fun i -> 2 * i" -> "fun i -> 2 * i + 1" => REFUTED[OG305] a ~> Matrix1(n, fun i -> 2 * i + 1)
// mutate: "a[i] = x" -> "a[x] = x" => REJECTED[OG116] x] = x
// mutate: "a[i] = x" -> "a[c[0]] = x" => REJECTED[OG116] c[0]] = x
// mutate: "a[i] = x" -> "a[i] += x" => REJECTED[OG116] a[i] +=
// mutate: "a[i] = x" -> "a[i] = a[0]" => REJECTED[OG116] a[i] = a[0] = 2 * i
// mutate: "a[i] = x" -> "a[i] = (x", "2 * i;" -> "2 * i);" => REJECTED[OG010] = 2 * i
// mutate: "c[0] = b[i]" -> "c[b[i]] = b[i]" => REJECTED[OG116] b[i]] = b[i] = x
// mutate: "c[0] = b[i]" -> "c[0] = c[0]" => REJECTED[OG116] c[0] = c[0] = x
// mutate: "float* const p = &b[0]" -> "float* const p = &c[0]" => REJECTED[OG116] c[0] = p[0]

void f(int n, int a[n], float b[n], float c[1]) {
  __requires("n >= 1, n <= 1000");
  __writes("a ~> Matrix1(n, fun i -> 2 * i)");
  __writes("b ~> Cells1(n), c ~> Cells1(1)");
  int x = 0;
  float* const p = &b[0];
  for (int i = 0; i < n; i++) {
    a[i] = x = 2 * i;
    c[0] = b[i] = x += 1;
  }
  c[0] = p[0] = 1;
}
