int next(void) {
  static int counter = 40;
  static const char *const names[] = { "counter", "names" };
  return ++counter + names[counter & 1][0];
}
