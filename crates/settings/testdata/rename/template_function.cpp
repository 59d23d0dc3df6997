#include <vector>

template <typename Value, int Limit>
struct Stack {
  std::vector<Value> values;
  int size() const;
};

template <typename Value, int Limit>
int Stack<Value, Limit>::size() const {
  int count = 0;
  for (const auto& value : values) {
    count += value != Value() && count < Limit ? 1 : 0;
  }
  return count;
}
