// Listing 3.9: threads of one block execute different barriers. CUDA's `threadIdx.x` is the index of a thread loop, and code inside
// that loop is executed by one thread, which cannot execute a barrier of the block.
#include <optigpu.h>

void divergence() {
  kernel_launch(1, 32, 0);
  kernel_setup_end();
  thread for (int x = 0; x < 32; x++) { // threadIdx.x
    if (x == 0) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
