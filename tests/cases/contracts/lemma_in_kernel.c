// Threads use a lemma as the host does; nobody executes it.
// expect: VERIFIED
// also: annotated
// assumptions: 2
// mutate: '"n := b"' -> '"n := b - 1"' => UNPROVED[OG315] __ghost(f_is_double, "n := b - 1")
// mutate: '"n := b"' -> '"n := 2 * b + 2"' => UNPROVED[OG322] &d[b] ~~> f(b)
// mutate: "d[b] = 2 * b" -> "d[b] = b" => UNPROVED[OG322] &d[b] ~~> f(b)
// mutate: '__ensures("twice: f(n) == 2 * n")' -> '__ensures("twice: f(n) == n")' => UNPROVED[OG307] twice: f(n) == n
// mutate: '    __ghost(f_is_double, "n := b");\n' -> "    host();\n" => REFUTED[OG346] host();

__DECL(f, "int -> int");
__AXIOM(f_zero, "f(0) == 0");
__AXIOM(f_next, "forall (n: int) (h: n >= 0) -> f(n + 1) == f(n) + 2");
__GHOST(f_is_double) {
  __requires("n: int, pos: n >= 0");
  __ensures("twice: f(n) == 2 * n");
  for (int i = 0; i < n; i++) {
    __invariant("f(i) == 2 * i");
  }
}
void host() {
}
void fill(int G, int d[G]) {
  __requires("G >= 0, G <= 1000000");
  __consumes("d ~> UninitMatrix1Of(G, GMem)");
  __produces("d ~> Matrix1Of(G, GMem, fun b -> f(b))");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __xconsumes("&d[b] ~> UninitCell");
    __xproduces("&d[b] ~~> f(b)");
    __ghost(f_is_double, "n := b");
    d[b] = 2 * b;
  }
  kernel_teardown_begin();
  kernel_kill();
}
