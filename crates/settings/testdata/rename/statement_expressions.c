#define LARGER(a, b) \
  ({ __typeof__(a) left_ = (a); __typeof__(b) right_ = (b); left_ > right_ ? left_ : right_; })

int clamped(int value, int limit) {
  return LARGER(value, limit) - ({ int twice = limit * 2; twice; });
}
