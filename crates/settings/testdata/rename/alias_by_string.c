int implementation(int n) { return n + 1; }
extern int other_name(int n) __attribute__((alias("implementation")));
int caller(int n) { return other_name(n) + implementation(n); }
