#define COLORS(X) X(red, 1) X(green, 2)
#define AS_ENUM(name, value) color_##name = value,
#define AS_TEXT(name, value) case color_##name: return #name;
enum color { COLORS(AS_ENUM) color_last };
const char *text(enum color color) { switch (color) { COLORS(AS_TEXT) default: return "none"; } }
int first(void) { return text(color_red)[0]; }
