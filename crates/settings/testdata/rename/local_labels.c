#define FIND(array, n, x) ({ __label__ found; int at = 0; for (; at < (n); at++) if ((array)[at] == (x)) goto found; at = -1; found: at; })
int both(const int *numbers, int n) { int at = FIND(numbers, n, 3); return at + FIND(numbers, n, 4); }
