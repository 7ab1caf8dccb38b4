// Products are of numbers that tensor cores multiply, both of one type; TF32 is made of floats.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "tf32 s[64][8]" -> "float s[64][8]" => REJECTED[OG102] s, t, 8);
// mutate: "tf32 s[64][8]" -> "bf16 s[64][8]" => REJECTED[OG102] s, dx, b, 0, 0);
// mutate: "tf32 s[64][8]" -> "float s[64][8]", "tf32 t[16][8]" -> "float t[16][8]" => REJECTED[OG102] s, t, 8);
// mutate: "tf32 s[64][8]" -> "int s[64][8]", "tf32 t[16][8]" -> "int t[16][8]" => REJECTED[OG102] s, dx, b, 0, 0);
// mutate: "float c[64][16]" -> "double c[64][16]" => REJECTED[OG114] c, s, t, 8);
// mutate: "float c[64][16]" -> "tf32 c[64][16]" => REJECTED[OG114] c, s, t, 8);
// mutate: "__fragment__ float c[64][16]" -> "float c[64][16]" => REJECTED[OG114] c, s, t, 8);
// mutate: "mma_nt(c, s, t, 8)" -> "mma_nt(c, dx, t, 8)" => REJECTED[OG114] dx, t, 8);
// mutate: "mma_nt(c, s, t, 8)" -> "mma_nt(&c[0][0], s, t, 8)" => REJECTED[OG114] &c[0][0]
// mutate: "mma_nt(c, s, t, 8)" -> "mma_nt(c, s, t)" => REJECTED[OG104] mma_nt(c, s, t)
// mutate: "mma_nt(c, s, t, 8)" -> "mma_nt(s, s, t, 8)" => REJECTED[OG114] s, s, t, 8);
// mutate: "tf32 s[64][8]" -> "half s[64][8]", "tf32 t[16][8]" -> "half t[16][8]" => REJECTED[OG102] s, dx, b, 0, 0);

#include <optigpu.h>
void f(int B, float x[B][64][8], float y[B][16][8], float z[B][64][16]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 64, 8, X), y ~> Matrix3(B, 16, 8, Y)");
  __writes("z ~> Matrix3(B, 64, 16, fun b i j -> Sum(k in 0..8, X(b, i, k) * Y(b, j, k)))");
  float* const dx = __gmem_malloc3<float>(B, 64, 8);
  float* const dy = __gmem_malloc3<float>(B, 16, 8);
  float* const dz = __gmem_malloc3<float>(B, 64, 16);
  memcpy_host_to_device3(dx, x, B, 64, 8);
  memcpy_host_to_device3(dy, y, B, 16, 8);
  kernel_launch(B, 128, 2560);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ tf32 s[64][8];
    __shared__ tf32 t[16][8];
    tile_load(s, dx, b, 0, 0);
    tile_load(t, dy, b, 0, 0);
    __fragment__ float c[64][16];
    frag for (int i = 0; i < 64; i++) {
      frag for (int j = 0; j < 16; j++) {
        c[i][j] = 0.0f;
      }
    }
    blocksync();
    mma_nt(c, s, t, 8);
    frag for (int i = 0; i < 64; i++) {
      frag for (int j = 0; j < 16; j++) {
        dz[b][i][j] = c[i][j];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(z, dz, B, 64, 16);
  gmem_free(dx);
  gmem_free(dy);
  gmem_free(dz);
}
