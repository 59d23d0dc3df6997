#define SWAP(a, b) do { int tmp = (a); (a) = (b); (b) = tmp; } while (0)
int sorted(int *low, int *high) {
  int tmp2 = 0;
  if (*low > *high) SWAP(*low, *high);
  { int tmp = *low; tmp2 = tmp; }
  return tmp2;
}
