#include <stddef.h>
struct outer { char tag; struct inner { int a[4]; } inner; };
int where(void) { return (int)(offsetof(struct outer, inner.a[2]) + offsetof(struct outer, tag)); }
