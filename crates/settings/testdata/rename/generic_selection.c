static int of_int(int value) { return value; }
static int of_double(double value) { return (int)value; }
#define CONVERT(x) _Generic((x), int: of_int, double: of_double, default: of_int)(x)
int convert(int whole, double real) { return CONVERT(whole) + CONVERT(real); }
