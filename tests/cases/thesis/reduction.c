// The sum of an array, from which `reduction.py` derives a kernel.
// program: examples/thesis/reduction.c
// expect: VERIFIED
// also: annotated, replay
// run: clean
// mutate: "sum += arr[i]" -> "sum += arr[0]" => REFUTED[OG307] _Res == Sum(i in 0..N, A(i))
// mutate: "i < N" -> "i <= N" => REFUTED[OG302] arr[i]
// mutate: "sum = 0.0f" -> "sum = 1.0f" => REFUTED[OG307] _Res == Sum(i in 0..N, A(i))
