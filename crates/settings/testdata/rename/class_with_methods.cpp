#include <string>
#include <vector>

namespace shop {

class Cart {
 public:
  explicit Cart(int limit) : limit_(limit) {}
  int size() const;
  bool add(const std::string& name, int count);
  int total = 0;

 private:
  std::vector<std::string> items_;
  int limit_;
};

bool Cart::add(const std::string& name, int count) {
  if (static_cast<int>(items_.size()) + count > limit_ || name.size() > 40) {
    return false;
  }
  for (int i = 0; i < count; ++i) {
    items_.push_back(name);
  }
  this->total += count + size();
  return true;
}

}  // namespace shop
