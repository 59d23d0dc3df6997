#define STATES(X) X(idle) X(busy)
#define NAME(state) STATE_##state
#define AS_ENUM(state) NAME(state),
#define AS_COUNT(state) + (int)NAME(state)
enum states { STATES(AS_ENUM) };
static int in_idle(void) { return STATE_idle; }
static int in_busy(void) { return STATE_busy + 1; }
#define CALL(state) total += in_##state();
int all(void) { int total = 0 STATES(AS_COUNT); STATES(CALL) return total; }
