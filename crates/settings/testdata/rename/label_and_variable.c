int find(const int *out, int count) {
  int done = 0;
  for (int i = 0; i < count; i++) {
    if (out[i] == 7) goto out;
    if (out[i] == 8) goto done;
  }
  return -1;
out:
  done = 1;
done:
  return done;
}
