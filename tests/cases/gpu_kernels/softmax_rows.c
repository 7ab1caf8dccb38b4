// The softmax of rows, with blocks of 128 threads.
// program: examples/gpu/softmax_rows.c
// expect: VERIFIED
// also: replay
