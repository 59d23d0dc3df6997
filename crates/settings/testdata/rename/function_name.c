#include <stdio.h>
int trace(int level) {
  printf("%s at %d\n", __func__, level);
  return level;
}
