// Exchanged through global memory by what a script makes of plain loops (global_shift.py): shift left, by way of another array.
// PTX: st.global | ld.global st.global | ld.global st.global
#include <optigpu.h>

void global_shift(float g[257], float y[256]) {
  __requires("A: int -> float");
  __consumes("g ~> Matrix1(257, A)");
  __writes("y ~> Cells1(256)");
  __produces("g ~> Matrix1(257, fun j -> j < 255 ? A(j + 1) + 1 : A(256))");
  for (int i = 0; i < 1; i++) {
    for (int j = 0; j < 256; j++)
      g[j] = g[j] + 1;
    for (int j = 0; j < 256; j++)
      y[j] = g[j + 1];
    for (int j = 0; j < 256; j++)
      g[j] = y[j];
  }
}
