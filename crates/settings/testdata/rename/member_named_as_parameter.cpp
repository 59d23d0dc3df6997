struct Point {
  int x;
  int y;
  Point(int x, int y) : x(x), y(y) {}
  Point moved(int x, int dy) const;
};

Point Point::moved(int x, int dy) const {
  Point point(x + this->x, y + dy);
  return point;
}
