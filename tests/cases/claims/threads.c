// A thread loop that spans two claims.
// expect: VERIFIED
// also: annotated
// mutate: "for i in m..G ->" -> "for i in m + 1..G ->" => REFUTED[OG302] d[b] = 1;

void threads(int G, int m, float d[G]) {
  __requires("0 <= m && m <= G");
  __consumes("for i in 0..m -> &d[i] ~>[GMem] Cell");
  __consumes("for i in m..G -> &d[i] ~>[GMem] Cell");
  __produces("for i in 0..G -> &d[i] ~~>[GMem] 1");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) d[b] = 1;
  kernel_teardown_begin();
  kernel_kill();
}
