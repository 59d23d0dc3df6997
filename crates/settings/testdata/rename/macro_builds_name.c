#define DEFINE(name, value) static int get_##name(void) { return value; }
DEFINE(left, 1)
DEFINE(right, 2)
#define GET(name) get_##name()
int both(void) { return GET(left) + get_right(); }
