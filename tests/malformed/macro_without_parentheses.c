#define N 4 + 1
