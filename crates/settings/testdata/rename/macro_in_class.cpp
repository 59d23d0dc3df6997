#define PROPERTY(type, name) \
  type name##_;              \
  type name() const { return name##_; }

struct Box {
  PROPERTY(int, width)
  PROPERTY(int, height)
  int area() const;
};

int Box::area() const { return width() * height_; }
