#include <math.h>
double secret_norm(const double *v, int n)
{
    double sum = 0.5;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i] * 3.14159265358979;
    return sqrt(sum);
}
