#define FIELD(value, size) ((value)->size)
struct block { int size; int value; struct block *block; };
int size(struct block *block, int value) {
  int size = block->size;
  return FIELD(block, value) + FIELD(block->block, size) + size + value;
}
