#include <stdlib.h>
static void release(char **block) { free(*block); }
int use(int size) {
  __attribute__((cleanup(release))) char *block = malloc(size);
  return block != 0;
}
