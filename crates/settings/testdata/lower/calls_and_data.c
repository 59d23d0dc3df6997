#include <string.h>
#include <stdio.h>
static int secret_count = 3;
int secret_table[4];
int secret_outside(int);
static int secret_helper(int a, const char *s)
{
    if (a > 2)
        return secret_table[2] + secret_outside(a);
    return (int)strlen(s) + secret_count;
}
int secret_target(int n, const char *s)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += secret_helper(i, s);
        secret_table[i & 3] = sum;
    }
    printf("secret %d\n", sum);
    return sum;
}
