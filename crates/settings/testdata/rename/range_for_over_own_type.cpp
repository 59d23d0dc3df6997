struct Numbers {
  int values[4];
  const int* begin() const { return values; }
  const int* end() const { return values + 4; }
};

int sum(const Numbers& numbers) {
  int sum = 0;
  for (int value : numbers) {
    sum += value;
  }
  return sum;
}
