// A scan in place, with a barrier before and after each write.
// expect: VERIFIED
// also: replay
// mutate: "float sum = 0.0f;" -> "float sum = 1.0f;"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> Sum(k in 16 * (t / 16)..t + 1, A(b, k)))
// mutate: "        sum += x[v];\n        x[v] = sum;" -> "        x[v] = sum;\n        sum += x[v];"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> Sum(k in 16 * (t / 16)..t + 1, A(b, k)))
// mutate: "sum += x[v];" -> "sum += x[15 - v];"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> Sum(k in 16 * (t / 16)..t + 1, A(b, k)))
// mutate: "for (int v = 0; v < 16; v++) {" -> "for (int v = 1; v < 16; v++) {"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> Sum(k in 16 * (t / 16)..t + 1, A(b, k)))

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> Sum(k in 16 * (t / 16)..t + 1, A(b, k)))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 16, 0);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 16; t++) {
      float x[16];
      for (int v = 0; v < 16; v++) x[v] = d[b][16 * t + v];
      float sum = 0.0f;
      for (int v = 0; v < 16; v++) {
        sum += x[v];
        x[v] = sum;
      }
      for (int v = 0; v < 16; v++) d[b][16 * t + v] = x[v];
    }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
