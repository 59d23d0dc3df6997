int add(int left, int right) {
  int sum;
  __asm__ volatile("addl %2, %0" : "=r"(sum) : "0"(left), "r"(right) : "cc");
  return sum;
}
