struct secret_table { int (*call)(int, void *); void *context; };
int secret_apply(const struct secret_table *t, int a)
{
    if (!t || !t->call)
        return -1;
    return t->call(a, t->context) + 1;
}
