#include <stdint.h>
#define UINT(bits) uint##bits##_t
#define VEC(type) struct vec_##type { type *items; int count; }
VEC(int);
int total(struct vec_int *vec) {
  UINT(32) sum = 0;
  for (int i = 0; i < vec->count; i++) sum += vec->items[i];
  return (int)sum;
}
