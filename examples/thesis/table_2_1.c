// Table 2.1 of the thesis: the clauses of function contracts, a function for each row. `y` names the permission, as in the table.
// Ours: α of `__reads` is implied, and its sum with other shares is not computed; see _RO in docs/language.md for a share with a name.
#include <optigpu.h>

int requires_clause(int n) {
  __requires("x: int, positive: x >= 1 && n == 2 * x && n <= 1000");
  __ensures("_Res >= 1");
  return n / 2;
}

int ensures_clause(int n) {
  __requires("0 <= n && n <= 1000");
  __ensures("sum: _Res == n + 1");
  return n + 1;
}

// `__consumes` alone takes the cell away: only what frees memory could do that. So it stands with `__produces`, of another value.
void consumes_and_produces(float* p) {
  __requires("v: float");
  __consumes("y: p ~~> v");
  __produces("y: p ~~> v + 1");
  p[0] = p[0] + 1.0f;
}

void preserves_clause(float* p) {
  __requires("v: float");
  __preserves("y: p ~~> v");
  const float old = p[0];
  p[0] = 0.0f;
  p[0] = old;
}

void writes_clause(float* p) {
  __writes("y: p ~~> 1");
  p[0] = 1.0f;
}

float reads_clause(const float* p) {
  __requires("v: float");
  __reads("y: p ~~> v");
  __ensures("_Res =. v");
  return p[0];
}

// Each of them called: what a caller has afterwards.
float all(float* p) {
  __requires("v: float");
  __consumes("p ~~> v");
  __produces("p ~~> 1");
  __ensures("_Res =. 1 + v + 1 + v + 1");
  const int half = requires_clause(2);
  __with("x := 1");
  const int one = ensures_clause(half - half);
  consumes_and_produces(p);
  preserves_clause(p);
  const float before = reads_clause(p) + reads_clause(p);
  writes_clause(p);
  return one + before;
}
