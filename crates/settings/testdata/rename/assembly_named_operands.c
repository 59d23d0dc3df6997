int add(int left, int right) {
  int sum;
  __asm__("leal (%[left],%[other]), %[sum]" : [sum] "=r"(sum) : [left] "r"(left), [other] "r"(right));
  return sum;
}
