#pragma weak optional
extern int optional(int);
int call(int n) { return optional ? optional(n) : n; }
