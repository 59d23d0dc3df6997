int count(int from);

struct Range {
  int first;
  int count() const { return first; }
  int twice() const;
};

int Range::twice() const {
  return count() + ::count(first);
}
