#include <optigpu.h>

// Listing 7.22, "Reference": the line `sdata[tid] = mySum = mySum + sdata[tid + s]` in its kernel, the reduction `reduce3` of NVIDIA's
// samples that section 7.2 compares with. A thread adds two elements of the input, and a block adds up its threads' sums by a tree in
// shared memory, beside which each thread accumulates in a register. The thesis shows the line alone; the kernel around it, its contract and
// the host's code are ours. `mySum` lives across barriers, so it is allocated for the block, as in Listing 4.18: `mySum[tid]`.
float reduce(int numBlocks, int n, float g_idata[n]) {
  __requires("A: int -> float, 0 <= n && n <= numBlocks * 512, numBlocks <= 4194303");
  __reads("g_idata ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float* const d_idata = __gmem_malloc1<float>(n);
  float* const d_odata = __gmem_malloc1<float>(numBlocks);
  memcpy_host_to_device1(d_idata, g_idata, n);
  kernel_launch(numBlocks, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int block = 0; block < numBlocks; block++) {
    __shared__ float sdata[256];
    float* const mySum = __treg_malloc0<float>();
    thread for (int tid = 0; tid < 256; tid++) {
      const int i = block * 512 + tid;
      mySum[tid] = i < n ? d_idata[i] : 0.0f;
      if (i + 256 < n) {
        mySum[tid] += d_idata[i + 256];
      }
      sdata[tid] = mySum[tid];
    }
    blocksync();
    for (int s = 128; s > 0; s >>= 1) {
      thread for (int tid = 0; tid < 256; tid++) {
        if (tid < s) {
          sdata[tid] = mySum[tid] = mySum[tid] + sdata[tid + s];
        }
      }
      blocksync();
    }
    thread for (int tid = 0; tid < 256; tid++) {
      if (tid == 0) {
        d_odata[block] = mySum[tid];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  float* const g_odata = MALLOC1(float, numBlocks);
  memcpy_device_to_host1(g_odata, d_odata, numBlocks);
  float total = 0.0f;
  for (int b = 0; b < numBlocks; b++) {
    total += g_odata[b];
  }
  free(g_odata);
  gmem_free(d_idata);
  gmem_free(d_odata);
  return total;
}
