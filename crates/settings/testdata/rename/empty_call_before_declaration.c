#define MODE(type) MODE_##type
#define MODE_FAST
#define NOTE(text)

struct pair {
    NOTE("the first") int first;
    MODE(FAST) int second;
};

MODE(FAST) int unit(struct pair *p)
{
    MODE(FAST) int total = p->first;
    NOTE("the sum") total += p->second;
    return total;
}
