/* Includes itself without end; the compiler stops at a depth of its own. */
#include __FILE__
int f(void) { return 0; }
