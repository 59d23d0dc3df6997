#include <stdio.h>
#define LOG(stream, format, ...) fprintf(stream, "log: " format, ##__VA_ARGS__)
#define LIST(args...) (int[]){ args }
int report(int code, int line) { LOG(stderr, "%d %d", code, line); LOG(stderr, "done"); return LIST(code, line)[1]; }
