// Methods, fields and operators whose class only the type of the object before them tells.
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Point {
  int x, y;
  bool operator==(const Point &other) const { return x == other.x && y == other.y; }
  Point operator+(const Point &other) const { return Point{x + other.x, y + other.y}; }
};
Point operator-(const Point &a, const Point &b) { return Point{a.x - b.x, a.y - b.y}; }

enum Color { RED, GREEN };

class Shelf {
 public:
  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  int next() const { return count_ + 1; }
  const Point *begin() const { return points_; }
  const Point *end() const { return points_ + count_; }
  int operator[](int at) const { return points_[at].x; }
  static int most() { return 9; }
  virtual bool sorted() const { return false; }

 private:
  int count_;
  Point points_[9];
};

struct Link {
  Link *next;
  Shelf *shelf;
  std::unique_ptr<Shelf> own;
  int value;
};

typedef std::vector<Shelf> Shelves;
using Names = std::vector<std::string>;

class Room {
 public:
  int size() const { return shelf_.size(); }
  bool empty() const { return names_.empty(); }
  void clear();
  Shelf &shelf() { return shelf_; }

 private:
  Shelf shelf_;
  std::vector<std::string> names_;
};
void Room::clear() { shelf_.clear(); }

int text_size(const std::string &text) { return (int)text.size(); }
int shelf_size(const Shelf &shelf) { return shelf.size(); }
int names_size(const Names &names) { return (int)names.size(); }
int shelves_size(const Shelves &shelves) { return (int)shelves.size(); }
int first_size(const Shelves &shelves) { return shelves.front().size(); }
int at_size(const Shelves &shelves) { return shelves[0].size(); }
int link_next(const Link *link) { return link->next->value; }
int link_size(const Link *link) { return link->next->shelf->size(); }
int own_size(const Link &link) { return link.own->size(); }
bool own_is(const Link &link) { return link.own.get() != nullptr; }
int room_size(Room &room) { return room.shelf().size(); }
bool same(const Point &a, const Point &b) { return a == b; }
bool same_x(const Point &a, const Point &b) { return a.x == b.x; }
bool same_color(Color a, Color b) { return a == b; }
Point between(Point a, Point b) { return a - b; }
int first(const Shelf &shelf) { return shelf[0]; }
int first_of(const int *values, const Shelf *) { return values[0]; }
int sum(const Shelf &shelf) {
  int all = 0;
  for (const auto &point : shelf) all += point.x;
  return all;
}
int length(const Names &names, const Shelf *) {
  int all = 0;
  for (const auto &name : names) all += (int)name.size();
  return all;
}
int all_sizes(const Shelves &shelves) {
  int all = 0;
  for (const auto &shelf : shelves) all += shelf.size();
  return all;
}
int deduced(Link *link) {
  auto *shelf = link->shelf;
  return shelf->size();
}
