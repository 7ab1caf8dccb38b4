// The index of the cell that a thread writes descends with the thread, from the end of the block's part: b * 64 - t.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "    blocksync();\n" -> "" => REFUTED[OG342] A[(b + 1) * 64 - t] = xs[t];
// mutate: "A[(b + 1) * 64 - t] = xs[t]" -> "A[(b + 1) * 64 - t + 1] = xs[t]" => REFUTED[OG340] A[(b + 1) * 64 - t + 1]
// mutate: "A[(b + 1) * 64 - t] = xs[t]" -> "A[(b + 1) * 63 - t] = xs[t]" => REFUTED[OG340] A[(b + 1) * 63 - t] = xs[t];
// mutate: "A[(b + 1) * 64 - t] = xs[t]" -> "A[64 - t] = xs[t]" => REFUTED[OG340] A[64 - t] = xs[t];
// mutate: "V((b + 1) * 64 - t)" -> "V(b * 64 + 63 - t)"
//   => REFUTED[OG305] for b in 0..B -> for t in 0..64 -> &h[b * 64 + 1 + t] ~~> V(b * 64 + 63 - t)

void f(int B, int h[64 * B + 1]) {
  __requires("V: int -> int, B_pos: B >= 0");
  __consumes("h ~> Matrix1(64 * B + 1, V)");
  __produces("&h[0] ~~> V(0), for b in 0..B -> for t in 0..64 -> &h[b * 64 + 1 + t] ~~> V((b + 1) * 64 - t)");
  int* const A = __gmem_malloc1<int>(64 * B + 1);
  memcpy_host_to_device1(A, h, 64 * B + 1);
  kernel_launch(B, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    int* const xs = __treg_malloc0<int>();
    thread for (int t = 0; t < 64; t++) {
      xs[t] = A[b * 64 + 1 + t];
    }
    blocksync();
    thread for (int t = 0; t < 64; t++) {
      A[(b + 1) * 64 - t] = xs[t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, A, 64 * B + 1);
  gmem_free(A);
}
