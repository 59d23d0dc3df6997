int run(const unsigned char *code) {
  static const void *const table[] = { &&stop, &&add, &&subtract };
  int total = 0;
  goto *table[*code++];
add:
  total += 3;
  goto *table[*code++];
subtract:
  total -= 1;
  goto *table[*code++];
stop:
  return total;
}
