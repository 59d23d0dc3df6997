int secret_switch(int kind, int a)
{
    switch (kind) {
    case 0: return a + 1;
    case 1: return a * 3;
    case 2: return a ^ 5;
    case 3: return a - 7;
    case 4: return a << 2;
    case 5: return ~a;
    case 6: return -a;
    default: return 0;
    }
}
