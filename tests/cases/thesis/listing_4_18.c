// Listing 4.18: registers across a barrier, and an index that descends with the thread.
// program: examples/thesis/listing_4_18.c
// expect: VERIFIED
// run: clean
// also: standin, annotated, replay
// mutate: "    blocksync();\n" -> "" => REFUTED[OG342] A[b * tpb + (tpb - t - 1)] = xs[t];
//   run: OG210 A[b * tpb + (tpb - t - 1)]
//   also: schedules
// mutate: "(tpb - t - 1)] = xs[t]" -> "(tpb - t)] = xs[t]" => REFUTED[OG340] A[b * tpb + (tpb - t)]
// mutate: "(tpb - t - 1)] = xs[t]" -> "(tpb - t - 2)] = xs[t]" => REFUTED[OG302] A[b * tpb + (tpb - t - 2)]
// mutate: "A[b * tpb + (tpb - t - 1)] = xs[t]" -> "A[b * tpb + (tpb - t - 1) / 2] = xs[t]" => REFUTED[OG340] A[b * tpb + (tpb - t - 1) / 2] = xs[t];
// mutate: "A[b * tpb + (tpb - t - 1)] = xs[t]" -> "A[b + (tpb - t - 1)] = xs[t]" => REFUTED[OG340] A[b + (tpb - t - 1)] = xs[t];
// mutate: "] = xs[t]" -> "] = xs[tpb - t - 1]" => REFUTED[OG344] xs[tpb - t - 1]
// mutate: "V(b * tpb + (tpb - t - 1))" -> "V(b * tpb + t)" => REFUTED[OG305] for b in 0..bpg -> for t in 0..tpb -> &a[b * tpb + t] ~~> V(b * tpb + t)
