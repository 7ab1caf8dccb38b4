// Sizes in bytes, and conversions among all types of numbers.
// expect: VERIFIED
// run: clean
// mutate: "sizeof(half) + sizeof(bf16)" -> "sizeof(half) + sizeof(tf32)" => REFUTED[OG307] _Res == i + 4
// mutate: "b = h;" -> "b = 2 * h;" => REFUTED[OG307] _Res == i + 4
// mutate: "t += (int)" -> "int s = t; t += (int)" => REJECTED[OG103] t; t += (int)(sizeof(half) + sizeof(bf16));
// mutate: "h = d;" -> "h = d % 2;" => REJECTED[OG102] d % 2;

#include <optigpu.h>
double f(int i) {
  __requires("-100 <= i, i <= 100");
  __ensures("_Res == i + 4");
  const double d = i;
  half h = d;
  bf16 b = h;
  tf32 t = b;
  if (h && i > 0) t = h;
  t = t < i ? t : h;
  t += (int)(sizeof(half) + sizeof(bf16));
  return t;
}
