// A loop invariant holds before the loop and is kept by its body.
// expect: VERIFIED
// mutate: "&x ~~> i * i" -> "&x ~~> i * i + 1" => REFUTED[OG322] &x ~~> i * i + 1
// mutate: "&x ~~> i * i" -> "&x ~~> i * (i + 1)" => REFUTED[OG318] for (int i = 0; i < n; i++)
// mutate: "2 * i + 1" -> "2 * i" => REFUTED[OG318] for (int i = 0; i < n; i++)
// mutate: "int x = 0" -> "int x = 1" => REFUTED[OG322] &x ~~> i * i
// mutate: '"n >= 0,' -> '"n >= -1,' => REFUTED[OG307] _Res == n * n

int invariant(int n) {
  __requires("n >= 0, n <= 1000");
  __ensures("_Res == n * n");
  int x = 0;
  for (int i = 0; i < n; i++) {
    __spreserves("&x ~~> i * i");
    x = x + 2 * i + 1;
  }
  return x;
}
