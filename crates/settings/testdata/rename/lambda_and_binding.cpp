#include <algorithm>
#include <map>
#include <string>
#include <utility>

enum class Color : int { red, green };

using Table = std::map<std::string, Color>;

int reds(const Table& table, int limit) {
  int found = 0;
  auto is_red = [&found, bound = limit](Color color) { return color == Color::red && found < bound; };
  for (const auto& [name, color] : table) {
    found += is_red(color) ? static_cast<int>(name.size()) : 0;
  }
  return found;
}
