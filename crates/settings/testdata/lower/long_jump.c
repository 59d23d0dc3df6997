#include <setjmp.h>
static jmp_buf secret_place;
int secret_try(int a)
{
    if (setjmp(secret_place))
        return -1;
    if (a < 0)
        longjmp(secret_place, 1);
    return a;
}
