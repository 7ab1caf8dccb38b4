// Table 2.2: the permissions, and what they do not allow.
// expect: VERIFIED
// run: clean
// mutate: 'p[0] = 2.0f' -> 'p[0] = p[0] + 2.0f' => REFUTED[OG304] p[0] + 2.0f;
// mutate: '__produces("p ~~> 2 * v")' -> '__produces("p ~~> v")' => REFUTED[OG305] 2nd p ~~> v");
// mutate: 'float shared_cell(const float* p) {' -> 'float shared_cell(float* p) {', 'return p[0] + p[0]' -> 'p[0] = 1.0f; return p[0] + p[0]'
//   => REFUTED[OG303] p[0] = 1.0f;
// mutate: '&p[1] ~~> 2, ' -> '&p[1] ~~> 1, ' => REFUTED[OG305] &p[1] ~~> 1
// mutate: 'N == 3' -> 'N == 4' => REFUTED[OG308] &p[0] ~~> 0
// program: examples/thesis/table_2_2.c
