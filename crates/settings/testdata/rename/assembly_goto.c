int probe(int flag) {
  __asm__ goto("testl %0, %0\n\tjne %l[taken]" : : "r"(flag) : "cc" : taken);
  return 0;
taken:
  return 1;
}
