// Listing 3.9: threads of one block execute different barriers. A condition that holds for all threads does not help: inside the loop
// the code is that of one thread. The loop of the last mutant has one iteration, which the whole block executes.
// program: examples/thesis/listing_3_9.c
// expect: REFUTED[OG345] 1st __syncthreads();
// mutate: "x == 0" -> "x >= 0" => REFUTED[OG345] 1st __syncthreads();
// mutate: "thread for (int x = 0; x < 32; x++) { // threadIdx.x" -> "thread for (int x = 0; x < 1; x++) {" => VERIFIED
