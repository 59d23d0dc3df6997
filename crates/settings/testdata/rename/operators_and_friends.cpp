#include <string>

namespace text {

class Word {
 public:
  Word(std::string letters) : letters_(letters) {}
  friend bool operator==(const Word& left, const Word& right);
  friend class Book;
  operator bool() const { return !letters_.empty(); }
  ~Word() {}

 private:
  std::string letters_;
};

bool operator==(const Word& left, const Word& right) {
  return static_cast<bool>(left) && left.letters_ == right.letters_;
}

}
