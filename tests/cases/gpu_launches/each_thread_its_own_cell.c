// Each thread updates its own cell; every part of the launch is needed.
// expect: VERIFIED
// also: replay
// mutate: "d[b][t] = d[b][t]" -> "d[b][0] = d[b][t]" => REFUTED[OG340] d[b][0] = d[b][t] + 1.0f;
// mutate: "d[b][t] = d[b][t]" -> "d[b][t] = d[b][255 - t]" => REFUTED[OG340] d[b][t] = d[b][255 - t] + 1.0f;
// mutate: "d[b][t] = d[b][t]" -> "d[b][t] = d[B - 1 - b][t]" => REFUTED[OG340] d[b][t] = d[B - 1 - b][t] + 1.0f;
// mutate: "d[b][t] = d[b][t]" -> "d[b][t] = h[b][t]" => VERIFIED
// mutate: "d[b][t] = d[b][t]" -> "h[b][t] = d[b][t]" => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> A(b, t) + 1.0f)
// mutate: "d[b][t] = d[b][t] + 1.0f" -> "d[b][t + 1] = 1.0f" => REFUTED[OG302] d[b][t + 1] = 1.0f;
// mutate: "t < 256" -> "t < 255" => REFUTED[OG347] thread for (int t = 0; t < 255; t++)
// mutate: "t < 256" -> "t < 512" => REFUTED[OG347] thread for (int t = 0; t < 512; t++)
// mutate: "kernel_launch(B, 256, 1024)" -> "kernel_launch(B, 128, 1024)"
//   => REFUTED[OG347] thread for (int t = 0; t < 256; t++)
// mutate: "kernel_launch(B, 256, 1024)" -> "kernel_launch(B + 1, 256, 1024)"
//   => REFUTED[OG347] thread for (int b = 0; b < B; b++)
// mutate: "kernel_launch(B, 256, 1024)" -> "kernel_launch(B, 256, 400 * 1024)"
//   => REFUTED[OG349] kernel_launch(B, 256, 400 * 1024);
// mutate: "kernel_launch(B, 256, 1024)" -> "kernel_launch(B - 1, 256, 1024)"
//   => REFUTED[OG349] kernel_launch(B - 1, 256, 1024);
// mutate: "  kernel_setup_end();\n" -> "" => REFUTED[OG350] thread for (int b = 0; b < B; b++)
// mutate: "  kernel_kill();\n" -> "" => REFUTED[OG350] memcpy_device_to_host2(h, d, B, 256);
// mutate: "  kernel_teardown_begin();\n" -> "" => REFUTED[OG350] kernel_kill();
// mutate: "  kernel_setup_end();\n" -> "  kernel_setup_end();\n  kernel_setup_end();\n"
//   => REFUTED[OG350] 2nd kernel_setup_end();
// mutate: "  kernel_kill();\n" -> "  d[0][0] = 1.0f;\n  kernel_kill();\n" => REFUTED[OG348] d[0][0] = 1.0f;
// mutate: "  gmem_free(d);\n" -> "  d[0][0] = 1.0f;\n  gmem_free(d);\n" => REFUTED[OG348] d[0][0] = 1.0f;
// mutate: "  gmem_free(d);\n" -> "" => REFUTED[OG308] float* const d = __gmem_malloc2<float>(B, 256)

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> A(b, t) + 1.0f)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++)
      d[b][t] = d[b][t] + 1.0f;
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
