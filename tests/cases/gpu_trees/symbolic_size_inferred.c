// A tree of 1 << logN threads, with a register accumulator: the invariant of its loop is inferred.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "= mySum[t] + s" -> "= mySum[t] - s"
//   => REFUTED[OG305] out ~> Matrix1(B, fun b -> Sum(k in 0..1 << logN, A(b * (1 << logN) + k)))
// mutate: "      blocksync();\n    }" -> "    }"
//   => REFUTED[OG342] s[DMINDEX1(B, b)][t] = mySum[t] = mySum[t] + s[DMINDEX1(B, b)][t + (1 << (i - 1))];
// mutate: "i = logN; i > 0" -> "i = logN - 1; i > 0" => REFUTED[OG302] s[DMINDEX1(B, b)][t] = mySum[t] = d[b * N + t];
// mutate: "= mySum[t] = d[b * N + t]" -> "= 2.0f * d[b * N + t]; mySum[t] = d[b * N + t]"
//   => REFUTED[OG318] for (int i = logN; i > 0; i--)

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
    float* const mySum = __treg_malloc0<float>();
    thread for (int t = 0; t < N; t++) {
      s[DMINDEX1(B, b)][t] = mySum[t] = d[b * N + t];
    }
    blocksync();
    for (int i = logN; i > 0; i--) {
      thread for (int t = 0; t < N; t++) {
        if (t < 1 << (i - 1)) {
          s[DMINDEX1(B, b)][t] = mySum[t] = mySum[t] + s[DMINDEX1(B, b)][t + (1 << (i - 1))];
        }
      }
      blocksync();
    }
    thread for (int t = 0; t < N; t++) {
      if (t == 0) o[b] = mySum[t];
    }
  }
  kernel_teardown_begin();
  __smem_free1(s, N);
  kernel_kill();
  memcpy_device_to_host1(out, o, B);
  gmem_free(d);
  gmem_free(o);
}
