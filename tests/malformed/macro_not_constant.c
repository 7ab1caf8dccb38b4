#define N foo(3)
