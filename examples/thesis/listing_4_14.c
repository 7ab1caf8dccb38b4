// Listing 4.14: the contracts of the global memory functions, typed in; and Listing 4.17's, of thread registers.
// Each is compared with the built-in rule and adds nothing: nothing is admitted. `''` in the thesis is the permission above, written
// out here. T is any element type, as in the thesis; the contract can also be declared for one type, as gmem_free is here.

#include <optigpu.h>

template <typename T> T __gmem_get(T* p) {
  __requires("v: T, t: int");
  __reads("ThreadsCtx(t ..+ 1)");
  __reads("p ~>[GMem] v");
  __ensures("_Res = v");
  __admitted();
}

template <typename T> void __gmem_set(T* p, T v) {
  __requires("t: int");
  __preserves("ThreadsCtx(t ..+ 1)");
  __writes("p ~>[GMem] v");
  __admitted();
}

template <typename T> T* gmem_malloc1(int N1) {
  __preserves("HostCtx");
  __produces("for i in 0..N1 -> &_Res[i] ~>[GMem] UninitCell");
  __produces("Free(_Res, for i in 0..N1 -> &_Res[i] ~>[GMem] UninitCell)");
  __admitted();
}

void gmem_free(float* p) {
  __requires("H: HProp");
  __preserves("HostCtx");
  __consumes("Free(p, H)");
  __consumes("H");
  __admitted();
}

template <typename T> void memcpy_host_to_device1(T* dest, T* src, int N1) {
  __requires("A: int -> T");
  __preserves("HostCtx");
  __reads("for i in 0..N1 -> &src[i] ~> A(i)");
  __writes("for i in 0..N1 -> &dest[i] ~>[GMem] A(i)");
  __admitted();
}

template <typename T> void memcpy_device_to_host1(T* dest, T* src, int N1) {
  __requires("A: int -> T");
  __preserves("HostCtx");
  __reads("for i in 0..N1 -> &src[i] ~>[GMem] A(i)");
  __writes("for i in 0..N1 -> &dest[i] ~> A(i)");
  __admitted();
}

template <typename T> T* __treg_malloc0() {
  __requires("t: int, sz: int");
  __preserves("ThreadsCtx(t ..+ sz)");
  __produces("desync_for i in 0..sz -> &_Res[DMINDEX1(sz, i)] ~>[TReg] UninitCell");
  __admitted();
}

void increment(int n, float h[32 * n]) {
  __requires("A: int -> float, blocks: n >= 0, fits: n <= 1000000");
  __preserves("HostCtx");
  __consumes("h ~> Matrix1(32 * n, A)");
  __produces("h ~> Matrix1(32 * n, fun i -> A(i) + 1)");
  float* const d = gmem_malloc1<float>(32 * n);
  memcpy_host_to_device1(d, h, 32 * n);
  kernel_launch(n, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) {
      x[DMINDEX1(32, t)] = __gmem_get(&d[b * 32 + t]);
    }
    thread for (int t = 0; t < 32; t++) {
      __gmem_set(&d[b * 32 + t], x[DMINDEX1(32, t)] + 1.0f);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, 32 * n);
  gmem_free(d);
}
