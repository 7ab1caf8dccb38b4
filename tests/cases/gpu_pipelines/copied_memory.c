// The loop copies what the block has written before it, and the block overwrites it after a barrier.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "    blocksync(); // written\n" -> "" => REFUTED[OG341] tile_load(s, a, 4 * b + k, 0);
//   run: OG210 tile_load(s, a, 4 * b + k, 0)
//   also: standin
// mutate: "    blocksync(); // copied\n" -> "" => REFUTED[OG342] a[4 * b][t] = sum[DMINDEX1(64, t)];
//   run: OG210 a[4 * b][t]
// mutate: "tile_load(s, a, 4 * b + k, 0);" -> "tile_load(s, a, k, 0);"
//   => REFUTED[OG340] a[4 * b + k][t] = 2.0f * a[4 * b + k][t];
//   run: OG210 tile_load(s, a, k, 0)
//   also: standin
// mutate: "a[4 * b][t] = sum[DMINDEX1(64, t)];" -> "a[4 * b + 1][t] = sum[DMINDEX1(64, t)];"
//   => REFUTED[OG305] x ~> Matrix2(4 * B, 64, fun r t -> r % 4 == 0 ? Sum(k in 0..4, 2 * A(r + k, t)) : 2 * A(r, t))

#include <optigpu.h>
void f(int B, float x[4 * B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("x ~> Matrix2(4 * B, 64, A)");
  __produces("x ~> Matrix2(4 * B, 64, fun r t -> r % 4 == 0 ? Sum(k in 0..4, 2 * A(r + k, t)) : 2 * A(r, t))");
  float* const a = __gmem_malloc2<float>(4 * B, 64);
  memcpy_host_to_device2(a, x, 4 * B, 64);
  kernel_launch(B, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) {
      sum[DMINDEX1(64, t)] = 0.0f;
      for (int k = 0; k < 4; k++) a[4 * b + k][t] = 2.0f * a[4 * b + k][t];
    }
    blocksync(); // written
#pragma pipeline 2
    for (int k = 0; k < 4; k++) {
      __shared__ float s[1][64];
      tile_load(s, a, 4 * b + k, 0);
      pipeline_wait();
      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t];
    }
    blocksync(); // copied
    thread for (int t = 0; t < 64; t++) a[4 * b][t] = sum[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(x, a, 4 * B, 64);
  gmem_free(a);
}
