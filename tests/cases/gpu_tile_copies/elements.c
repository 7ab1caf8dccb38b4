// A copy takes elements as they are: those of the tile and of the array have one type.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "__shared__ int s[2][32];" -> "__shared__ unsigned s[2][32];" => REJECTED[OG102] s, a, 2 * b, 0);
// mutate: "__shared__ int s[2][32];" -> "__shared__ float s[2][32];" => REJECTED[OG102] s, a, 2 * b, 0);
// mutate: "__shared__ int s[2][32];" -> "__shared__ short s[2][32];" => REJECTED[OG102] s, a, 2 * b, 0);
// mutate: "__shared__ int s[2][32];" -> "__shared__ int s[64];" => REJECTED[OG114] s, a, 2 * b, 0);
// mutate: "__shared__ int s[2][32];" -> "int s[2][32];" => REJECTED[OG114] s, a, 2 * b, 0);
// mutate: "__shared__ int s[2][32];" -> "__shared__ int s[2][32][1];" => REJECTED[OG114] s, a, 2 * b, 0);
// mutate: "tile_load(s, a, 2 * b, 0)" -> "tile_load(a, s, 2 * b, 0)" => REJECTED[OG114] a, s, 2 * b, 0);
// mutate: "tile_load(s, a, 2 * b, 0)" -> "tile_load(s, s, 0, 0)" => REJECTED[OG114] s, 0, 0);
// mutate: "tile_load(s, a, 2 * b, 0)" -> "tile_load(s, a, 2.0f, 0)" => REJECTED[OG103] 2.0f
// mutate: "tile_load(s, a, 2 * b, 0)" -> "tile_load(s, &a[2 * b][0], 0, 0)" => REJECTED[OG104] tile_load(s, &a[2 * b][0], 0, 0)

#include <optigpu.h>
void f(int B, int x[2 * B][32], int y[2 * B][32]) {
  __requires("A: int * int -> int, B_pos: B >= 0");
  __reads("x ~> Matrix2(2 * B, 32, A)");
  __writes("y ~> Matrix2(2 * B, 32, A)");
  int* const a = __gmem_malloc2<int>(2 * B, 32);
  int* const d = __gmem_malloc2<int>(2 * B, 32);
  memcpy_host_to_device2(a, x, 2 * B, 32);
  kernel_launch(B, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ int s[2][32];
    tile_load(s, a, 2 * b, 0);
    blocksync();
    thread for (int t = 0; t < 64; t++) d[2 * b + t / 32][t % 32] = s[t / 32][t % 32];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, 2 * B, 32);
  gmem_free(a);
  gmem_free(d);
}
