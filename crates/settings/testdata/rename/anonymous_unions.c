struct value {
  int kind;
  union {
    struct { int x, y; };
    double real;
    union { char first; unsigned char bytes[4]; } raw;
  };
};
int sum(const struct value *value) { return value->kind ? value->x + value->y : value->raw.first; }
