unsigned long secret_power(unsigned long base, unsigned n)
{
    if (n == 0)
        return 1;
    unsigned long half = secret_power(base, n / 2);
    return n % 2 ? half * half * base : half * half;
}
