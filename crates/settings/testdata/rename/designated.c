enum { LOW, HIGH, COUNT };
struct range { int from, to; struct { int unit; } in; };
static const struct range ranges[COUNT] = { [HIGH] = { .to = 9, .from = 5, .in.unit = 2 }, [LOW] = { .to = 4 } };
int width(int which) { return ranges[which].to - ranges[which].from + ranges[which].in.unit; }
