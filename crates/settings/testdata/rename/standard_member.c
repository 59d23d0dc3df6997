#include <time.h>
struct span { int tm_hour, tm_min; };
int hours(const struct tm *t, const struct span *span) { return t->tm_hour + span->tm_hour + span->tm_min; }
