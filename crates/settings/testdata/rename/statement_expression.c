#define MAX(a, b) ({ __typeof__(a) left = (a); __typeof__(b) right = (b); left > right ? left : right; })
int largest(int x, int y, int left) { return MAX(MAX(x, y), left); }
