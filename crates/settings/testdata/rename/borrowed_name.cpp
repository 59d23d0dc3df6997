#include <utility>

struct Pair {
  int left, right;
  void swap(Pair& other);
};

void Pair::swap(Pair& other) {
  using std::swap;
  swap(left, other.left);
  swap(right, other.right);
}
