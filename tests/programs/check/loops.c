#include <optigpu.h>
void m_ijk(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) for (int k = 0; k < p; k++) c[i][j] += a[i][k] * b[k][j];
}
void m_ikj(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  for (int i = 0; i < m; i++) for (int k = 0; k < p; k++) for (int j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
}
void m_jik(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) for (int k = 0; k < p; k++) c[i][j] += a[i][k] * b[k][j];
}
void m_jki(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  for (int j = 0; j < n; j++) for (int k = 0; k < p; k++) for (int i = 0; i < m; i++) c[i][j] += a[i][k] * b[k][j];
}
void m_kij(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  for (int k = 0; k < p; k++) for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
}
void m_kji(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  for (int k = 0; k < p; k++) for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) c[i][j] += a[i][k] * b[k][j];
}
float tiled_guard_sum(int n, float a[n]) {
  __requires("A: int -> float"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int t = 0; t < (n + 15) / 16; t++) for (int i = 0; i < 16; i++) if (t * 16 + i < n) s += a[t * 16 + i];
  return s;
}
float strided_sum(int n, float a[n]) {
  __requires("A: int -> float, d: n % 8 == 0"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int t = 0; t < 8; t++) for (int i = 0; i < n / 8; i++) s += a[i * 8 + t];
  return s;
}
float psums(int n, float a[n]) {
  __requires("A: int -> float, d: n % 128 == 0"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == Sum(i in 0..n, A(i))");
  float sum = 0.f;
  float* const p = MALLOC1(float, exact_div(n, 128));
  #pragma omp parallel for
  for (int bi = 0; bi < exact_div(n, 128); bi++) {
    p[bi] = 0.f;
    for (int i = 0; i < 128; i++) p[bi] += a[128 * bi + i];
  }
  for (int bi = 0; bi < exact_div(n, 128); bi++) sum += p[bi];
  free(p);
  return sum;
}
float even_odd(int n, float a[n]) {
  __requires("A: int -> float"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int i = 0; i < n; i += 2) s += a[i];
  for (int i = 1; i < n; i += 2) s += a[i];
  return s;
}
float down(int n, float a[n]) {
  __requires("A: int -> float"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int i = n - 1; i >= 0; i--) s += a[i];
  return s;
}
float sum2d(int h, int w, float a[h][w]) {
  __requires("A: int * int -> float"); __reads("a ~> Matrix2(h, w, A)"); __ensures("_Res == Sum(i in 0..h, j in 0..w, A(i, j))");
  float s = 0.0f;
  for (int j = 0; j < w; j++) for (int i = 0; i < h; i++) s += a[i][j];
  return s;
}
void transp_tile(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float, wd: W % 32 == 0, hd: H % 32 == 0");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  for (int by = 0; by < H / 32; by++) for (int bx = 0; bx < W / 32; bx++) {
    float tile[32][32];
    for (int y = 0; y < 32; y++) for (int x = 0; x < 32; x++) tile[y][x] = a[by * 32 + y][bx * 32 + x];
    for (int x = 0; x < 32; x++) for (int y = 0; y < 32; y++) b[bx * 32 + x][by * 32 + y] = tile[y][x];
  }
}
void transp_guard(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  for (int by = 0; by < (H + 31) / 32; by++) for (int bx = 0; bx < (W + 31) / 32; bx++) {
    float tile[32][32];
    for (int y = 0; y < 32; y++) for (int x = 0; x < 32; x++) if (by * 32 + y < H && bx * 32 + x < W) tile[y][x] = a[by * 32 + y][bx * 32 + x];
    for (int x = 0; x < 32; x++) for (int y = 0; y < 32; y++) if (by * 32 + y < H && bx * 32 + x < W) b[bx * 32 + x][by * 32 + y] = tile[y][x];
  }
}
float maxif(int n, float a[n]) {
  __requires("A: int -> float, p: n > 0"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == Max(i in 0..n, A(i))");
  float m = a[0];
  for (int i = 1; i < n; i++) if (a[i] > m) m = a[i];
  return m;
}
void prefix2(int n, float a[n], float out[n]) {
  __requires("A: int -> float, p: n > 0"); __reads("a ~> Matrix1(n, A)"); __writes("out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))");
  out[0] = a[0];
  for (int i = 1; i < n; i++) out[i] = out[i - 1] + a[i];
}
void blur(int n, float a[n], float t[n], float b[n]) {
  __requires("A: int -> float, p: n > 2"); __reads("a ~> Matrix1(n, A)"); __consumes("t ~> UninitMatrix1(n)"); __produces("t ~> UninitMatrix1(n)");
  __writes("for i in 1..n-1 -> &b[i] ~~> 2*A(i-1) + 2*A(i) + 2*A(i+1)");
  for (int i = 0; i < n; i++) t[i] = 2 * a[i];
  for (int i = 1; i < n - 1; i++) b[i] = t[i-1] + t[i] + t[i+1];
}
void collapse(int h, int w, float a[h][w]) {
  __writes("a ~> Matrix2(h, w, fun i j -> i + j)");
  for (int64_t ij = 0; ij < (int64_t)h * w; ij++) a[ij / w][ij % w] = ij / w + ij % w;
}
void flat(int h, int w, float a[h * w]) {
  __requires("hw: h >= 0 && w >= 0");
  __writes("for i in 0..h -> for j in 0..w -> &a[i * w + j] ~~> i + j");
  for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) a[i * w + j] = i + j;
}
