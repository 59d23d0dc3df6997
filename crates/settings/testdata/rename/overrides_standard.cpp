#include <exception>
#include <string>

class Failure : public std::exception {
 public:
  explicit Failure(const std::string& text) : text_(text) {}
  const char* what() const noexcept override;

 private:
  std::string text_;
};

const char* Failure::what() const noexcept { return text_.c_str(); }
