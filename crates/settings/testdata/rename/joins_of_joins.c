#define CAT(a, b) a##b
#define CALL(a, b) CAT(a, b)
#define GET(kind) CALL(CAT(get_, kind), _now)
static int get_big_now(void) { return 2; }
static int get_big(void) { return 1; }
int f(void) { return GET(big)() + CAT(get_, big)() + get_big_now() * get_big(); }
