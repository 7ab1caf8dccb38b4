// A group of 32 threads has fragments together; no other number, and no part of a warp that is not shown to be a whole one.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "B, 64, 0" -> "B, 32, 0", "w < 2" -> "w < 1"
//   => REFUTED[OG305] x ~> Matrix4(B, 2, 16, 8, fun b w i j -> 2 * A(b, w, i, j))
// mutate: "B, 64, 0" -> "B, 128, 0", "w < 2" -> "w < 1"
//   => REFUTED[OG305] x ~> Matrix4(B, 2, 16, 8, fun b w i j -> 2 * A(b, w, i, j))
// mutate: "B, 64, 0" -> "B, 32, 0" => REFUTED[OG370] float c
//   run: OG221 float c
// mutate: "B, 64, 0" -> "B, 128, 0" => REFUTED[OG370] float c
//   run: OG221 float c
// mutate: "B, 64, 0" -> "2 * B, 32, 0" => VERIFIED
//   run: clean
// mutate: "B, 64, 0" -> "4 * B, 16, 0" => REFUTED[OG370] float c
//   run: OG221 float c
// mutate: "B, 64, 0" -> "8 * B, 8, 0" => REFUTED[OG370] float c
//   run: OG221 float c
// mutate: "B, 64, 0" -> "B, 96, 0", "w < 2" -> "w < 3" => REFUTED[OG302] d[b][w][i][j] = c[i][j] + c[i][j];
//   run: OG201 d[b][w][i][j];
// mutate: "thread for (int w = 0; w < 2; w++) {" -> "for (int w = 0; w < 2; w++) {" => REFUTED[OG370] float c
//   run: OG221 float c
// mutate: "frag for (int i" -> "thread for (int l = 0; l < 32; l++) frag for (int i"
//   => REFUTED[OG340] d[b][w][i][j] = c[i][j] + c[i][j];
//   run: OG221 frag for (int i = 0; i < 16; i++)
// mutate: "frag for (int i" -> "for (int i" => REFUTED[OG344] c[i][j] = d[b][w][i][j];
//   run: OG224 c[i][j] = d[b][w][i][j];
// mutate: "frag for (int j" -> "for (int j" => REFUTED[OG344] c[i][j] = d[b][w][i][j];
//   run: OG224 c[i][j] = d[b][w][i][j];
// mutate: "frag for (int j" -> "thread for (int j" => REFUTED[OG347] thread for (int j = 0; j < 8; j++)
//   run: OG220 thread for (int j = 0; j < 8; j++)
// mutate: "frag for (int j" -> "frag for (int k = 0; k < 1; k++) frag for (int j" => REFUTED[OG344] c[i][j] = d[b][w][i][j];
//   run: OG221 frag for (int j = 0; j < 8; j++)
// mutate: "          c[i][j] = d[b][w][i][j];\n" -> "          __fragment__ float a[16][8]; c[i][j] = d[b][w][i][j];\n"
//   => REFUTED[OG370] float a
//   run: OG221 float a
// mutate: "int i = 0; i < 16; i++" -> "int i = 15; i >= 0; i--" => UNPROVED[OG373] frag for (int i = 15; i >= 0; i--)
// mutate: "int j = 0; j < 8; j++" -> "int j = 0; j < 8; j += 2" => REFUTED[OG373] frag for (int j = 0; j < 8; j += 2)
// mutate: "int j = 0; j < 8; j++" -> "int j = 1; j < 8; j++"
//   => REFUTED[OG305] x ~> Matrix4(B, 2, 16, 8, fun b w i j -> 2 * A(b, w, i, j))

#include <optigpu.h>
void f(int B, float x[B][2][16][8]) {
  __requires("A: int * int * int * int -> float, B_pos: B >= 0");
  __consumes("x ~> Matrix4(B, 2, 16, 8, A)");
  __produces("x ~> Matrix4(B, 2, 16, 8, fun b w i j -> 2 * A(b, w, i, j))");
  float* const d = __gmem_malloc4<float>(B, 2, 16, 8);
  memcpy_host_to_device4(d, x, B, 2, 16, 8);
  kernel_launch(B, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int w = 0; w < 2; w++) {
      __fragment__ float c[16][8];
      frag for (int i = 0; i < 16; i++) {
        frag for (int j = 0; j < 8; j++) {
          c[i][j] = d[b][w][i][j];
          d[b][w][i][j] = c[i][j] + c[i][j];
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host4(x, d, B, 2, 16, 8);
  gmem_free(d);
}
