// Listing 4.13: the rule of `thread for`. Cells stay with the chunk that has them until a barrier.
// expect: VERIFIED
// mutate: 'i in ..8 -> for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j)' -> 'i in ..8 -> for j in 0..8 -> &a[7 - i][j] ~~>[GMem] A(7 - i, j)'
//   => UNPROVED[OG341] for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j)
// mutate: 'desync_for i in ..8 -> desync_for j in ..8 -> &a[i][j] ~~>[GMem] A(i, j) + 1' ->
//   'for i in 0..8 -> for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j) + 1' => UNPROVED[OG341] for i in 0..8 -> for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j) + 1
// mutate: 'desync_for j in ..8 -> &a[i][j] ~~>[GMem] A(i, j) + 1");\n    thread' -> 'desync_for j in ..8 -> &a[i][7 - j] ~~>[GMem] A(i, 7 - j) + 1");\n    thread'
//   => UNPROVED[OG341] desync_for j in ..8 -> &a[i][7 - j] ~~>[GMem] A(i, 7 - j) + 1
// mutate: 'a[i][j] = a[i][j] + 1.0f' -> 'a[i][j] = a[i][0] + 1.0f' => UNPROVED[OG340] a[i][j] = a[i][0] + 1.0f;
// mutate: 'i < 8' -> 'i < 7' => UNPROVED[OG341] 2nd for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j)");
// mutate: '  blocksync();\n' -> '' => UNPROVED[OG341] a[63 - t] = 2.0f * a[63 - t];
// mutate: '-> &a[63 - t] ~~>[GMem] 2 * (A(63 - t) + 1)' -> '-> &a[t] ~~>[GMem] 2 * (A(t) + 1)' => UNPROVED[OG341] desync_for t in ..64 -> &a[t] ~~>[GMem] 2 * (A(t) + 1
// program: examples/thesis/listing_4_13.c
