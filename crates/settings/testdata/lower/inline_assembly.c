unsigned secret_rotate(unsigned value)
{
    unsigned out;
    __asm__ volatile("roll $3, %0" : "=r"(out) : "0"(value));
    return out;
}
