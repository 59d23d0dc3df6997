static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int depth(int n) { return n > 0 ? depth(n - 1) + even(n) : 0; }
