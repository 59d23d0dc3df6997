#include <ctype.h>
#undef isdigit
#define isdigit(c) ((c) >= '0' && (c) <= '9')
int digits(const char *text) { int n = 0; while (isdigit(*text)) { n++; text++; } return n + isalpha(*text); }
