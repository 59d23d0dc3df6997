typedef int number;
typedef struct item item;
struct item { number number; item *item; };
int count(item *item) {
  number number = 0;
  for (; item; item = item->item) number += item->number;
  return number;
}
