#include <stdio.h>
#define SHOW(x) printf("%s = %d\n", #x, x)
int show(int alpha, int beta) { return SHOW(alpha) + SHOW(beta + 1); }
