// The fast matrix multiply with larger tiles.
// program: examples/gpu/fast/matmul.c
// replace: "#define BK 8" -> "#define BK 16"
// expect: VERIFIED
