#include <string>
#include <vector>

namespace shop {

class Cart {
 public:
  int size() const { return static_cast<int>(items_.size()); }
  bool add(const std::string& name);

 private:
  std::vector<std::string> items_;
};

bool Cart::add(const std::string& name) {
  if (name.empty()) throw name;
  items_.push_back(name);
  return size() > 3;
}

}  // namespace shop
