/* Two gigabytes of data in one line. */
char x[1ULL << 31] = {1};
int f(void) { return x[0]; }
