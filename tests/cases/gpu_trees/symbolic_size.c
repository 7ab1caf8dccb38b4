// A tree of 1 << logN threads: the loop states what the cells hold before the step i. Of the cells that are used up it says nothing.
// expect: VERIFIED
// run: clean
// also: annotated
// mutate: "      blocksync();\n    }" -> "    }"
//   => REFUTED[OG341] for t in 0..1 << i -> &s[DMINDEX1(B, b)][t] ~~>[SMem] Sum(j in 0..1 << (logN - i), A(b * N + t + j * (1 << i)))
// mutate: "i = logN; i > 0" -> "i = logN; i > 1" => REFUTED[OG302] s[DMINDEX1(B, b)][t] = d[b * N + t];
// mutate: "0..1 << (logN - i)" -> "0..2 << (logN - i)" => REFUTED[OG322] for t in 0..1 << i -> &s[DMINDEX1(B, b)][t] ~~>[SMem] Sum(j in 0..2 << (logN - i), A(b * N + t + j * (1 << i)))
// mutate: "j * (1 << i)))" -> "j * (2 << i) / 2))" => VERIFIED
// mutate: "][t] ~>[SMem] UninitCell" -> "][t] ~>[SMem] Cell" => VERIFIED
// mutate: "for t in 1 << i..N" -> "for t in 2 << i..N" => UNPROVED[OG318] for (int i = logN; i > 0; i--)

void reduce(int B, int logN, float a[B * (1 << logN)], float out[B]) {
  __requires("A: int -> float, B >= 0, 0 <= logN && logN <= 10, B * (1 << logN) <= 2000000000");
  __reads("a ~> Matrix1(B * (1 << logN), A)");
  __writes("out ~> Matrix1(B, fun b -> Sum(k in 0..1 << logN, A(b * (1 << logN) + k)))");
  const int N = 1 << logN;
  float* const d = __gmem_malloc1<float>(B * N);
  float* const o = __gmem_malloc1<float>(B);
  memcpy_host_to_device1(d, a, B * N);
  kernel_launch(B, N, N * sizeof(float));
  float* const s = __smem_malloc1<float>(N);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < N; t++) {
      s[DMINDEX1(B, b)][t] = d[b * N + t];
    }
    blocksync();
    for (int i = logN; i > 0; i--) {
      __spreserves("for t in 0..1 << i -> &s[DMINDEX1(B, b)][t] ~~>[SMem] Sum(j in 0..1 << (logN - i), A(b * N + t + j * (1 << i)))");
      __spreserves("for t in 1 << i..N -> &s[DMINDEX1(B, b)][t] ~>[SMem] UninitCell");
      thread for (int t = 0; t < N; t++) {
        if (t < 1 << (i - 1)) {
          s[DMINDEX1(B, b)][t] = s[DMINDEX1(B, b)][t] + s[DMINDEX1(B, b)][t + (1 << (i - 1))];
        }
      }
      blocksync();
    }
    thread for (int t = 0; t < N; t++) {
      if (t == 0) o[b] = s[DMINDEX1(B, b)][0];
    }
  }
  kernel_teardown_begin();
  __smem_free1(s, N);
  kernel_kill();
  memcpy_device_to_host1(out, o, B);
  gmem_free(d);
  gmem_free(o);
}
