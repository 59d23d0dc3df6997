#include <memory>

class Shape {
 public:
  virtual ~Shape() {}
  virtual int area() const = 0;
};

class Square : public Shape {
 public:
  explicit Square(int side) : side_(side) {}
  int area() const override { return side_ * side_; }

 private:
  int side_;
};

int area_of(int side) {
  std::unique_ptr<Shape> shape(new Square(side));
  try {
    if (side < 0) throw Square(1);
  } catch (const Shape& thrown) {
    return thrown.area();
  }
  return shape->area();
}
