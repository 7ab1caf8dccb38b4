#include <optigpu.h>

// Listing 7.22, "OptiGPU": `reduce_arr_1[__t2] = reduce_arr_1[__t2] + (&reduce_arr_1[ei])[__t2]`, the same step without a register, in the
// kernel that section 7.2 describes: a thread adds two adjacent elements, and a block adds up its threads' sums by a tree in shared memory,
// in as many steps as 256 has halves. The thesis shows the line alone; the kernel around it, its contract and the host's code are ours. A
// name that begins with `__` belongs to compilers, so `__t2` is `t2` here.
float reduce(int numBlocks, float arr[numBlocks * 512]) {
  __requires("A: int -> float, 0 <= numBlocks && numBlocks <= 4194303");
  __reads("arr ~> Matrix1(numBlocks * 512, A)");
  __ensures("_Res == Sum(i in 0..numBlocks * 512, A(i))");
  float* const d_arr = __gmem_malloc1<float>(numBlocks * 512);
  float* const d_sums = __gmem_malloc1<float>(numBlocks);
  memcpy_host_to_device1(d_arr, arr, numBlocks * 512);
  kernel_launch(numBlocks, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < numBlocks; b++) {
    __shared__ float reduce_arr_1[256];
    thread for (int t1 = 0; t1 < 256; t1++) {
      float sum = 0.0f;
      for (int j = 0; j < 2; j++) {
        sum += d_arr[(b * 256 + t1) * 2 + j];
      }
      reduce_arr_1[t1] = sum;
    }
    blocksync();
    for (int i = 8; i > 0; i--) {
      const int ei = 1 << (i - 1);
      thread for (int t2 = 0; t2 < 256; t2++) {
        if (t2 < ei) {
          reduce_arr_1[t2] = reduce_arr_1[t2] + (&reduce_arr_1[ei])[t2];
        }
      }
      blocksync();
    }
    thread for (int t3 = 0; t3 < 256; t3++) {
      if (t3 == 0) {
        d_sums[b] = reduce_arr_1[0];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  float* const sums = MALLOC1(float, numBlocks);
  memcpy_device_to_host1(sums, d_sums, numBlocks);
  float total = 0.0f;
  for (int b = 0; b < numBlocks; b++) {
    total += sums[b];
  }
  free(sums);
  gmem_free(d_arr);
  gmem_free(d_sums);
  return total;
}
