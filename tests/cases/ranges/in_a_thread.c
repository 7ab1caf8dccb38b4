// A range inferred for a loop of one thread.
// expect: VERIFIED
// also: annotated
// mutate: "r = i;" -> "r = i + 1;" => REFUTED[OG302] d[b][r];

void in_a_thread(int G, float d[G][8], float out[G]) {
  __requires("G >= 0");
  __reads("for b in 0..G -> for t in 0..8 -> &d[b][t] ~>[GMem] Cell");
  __preserves("for b in 0..G -> &out[b] ~>[GMem] Cell");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    int r = 0;
    for (int i = 0; i < 8; i++) {
      if (d[b][i] > d[b][r]) r = i;
    }
    out[b] = d[b][r];
  }
  kernel_teardown_begin();
  kernel_kill();
}
