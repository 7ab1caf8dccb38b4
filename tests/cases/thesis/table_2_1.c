// Table 2.1: the clauses of function contracts. Each false clause is found in its function or at its call.
// expect: VERIFIED
// run: clean
// mutate: '"_Res >= 1"' -> '"_Res >= 2"' => REFUTED[OG307] _Res >= 2
// mutate: '__with("x := 1")' -> '__with("x := 2")' => UNPROVED[OG315] requires_clause(2)
// mutate: 'sum: _Res == n + 1' -> 'sum: _Res == n' => REFUTED[OG307] sum: _Res == n
// mutate: '__produces("y: p ~~> v + 1")' -> '__produces("y: p ~~> v")' => REFUTED[OG305] 2nd y: p ~~> v");
// mutate: 'p[0] = old' -> 'p[0] = old + 1' => REFUTED[OG305] 2nd y: p ~~> v");
// mutate: 'p[0] = 1.0f' -> 'p[0] = 2.0f' => REFUTED[OG305] y: p ~~> 1
// mutate: 'return p[0];' -> 'return p[1];' => REFUTED[OG302] p[1]
// mutate: '"_Res =. 1 + v + 1 + v + 1"' -> '"_Res =. 1 + v + v"' => REFUTED[OG307] _Res =. 1 + v + v
// program: examples/thesis/table_2_1.c
