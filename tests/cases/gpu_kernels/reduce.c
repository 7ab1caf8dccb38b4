// A sum in a tree whose terms do not cancel: the search gives up after a fixed amount of work.
// program: examples/gpu/reduce.c
// expect: VERIFIED
// mutate: "s[t] += s[t + half];" -> "s[t] -= s[t + half];" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
