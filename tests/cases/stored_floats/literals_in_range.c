// A literal that a type rounds to infinity or to zero is an input error.
// expect: VERIFIED
// run: clean
// mutate: "65504.0f" -> "65520.0f" => REJECTED[OG103] 65520.0f
// mutate: "65504.0f" -> "-70000.0f" => REJECTED[OG103] -70000.0f
// mutate: "65504.0f" -> "65536" => REJECTED[OG103] 65536
// mutate: "(half)0.0000001f" -> "(half)0.00000001f" => REJECTED[OG103] 0.00000001f
// mutate: "1e38f" -> "1e39" => REJECTED[OG103] 1e39
// mutate: "_Res == 65504" -> "_Res == 65503" => REFUTED[OG307] _Res == 65503

#include <optigpu.h>
half largest(half start) {
  __ensures("_Res == 65504");
  half x = start + (half)0.0000001f;
  bf16 y = 1e38f;
  tf32 z = 1e-40;
  x = 65504.0f;
  return x;
}
