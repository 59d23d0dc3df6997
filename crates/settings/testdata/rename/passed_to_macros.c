#include <stdio.h>

#define FOREACH(it, head) for (struct node *it = (head); it; it = it->next)
#define LOG(level, text) fprintf(stderr, "%s\n", text)
#define DECLARE(type, name) type name
#define QUIET(word, name) int name __attribute__((word))
#define SHOUT(word, name) QUIET(word, name)

struct later;

struct node {
    struct node *next;
    int weight;
    struct later *owner;
};

int total_weight(struct node *start, struct mentioned *of_whom)
{
    DECLARE(size_t, sum_of_weights) = 0;
    QUIET(unused, silent);
    SHOUT(unused, loud);
    (void)of_whom;
    silent = 1;
    FOREACH(cursor, start) {
        if (cursor->weight < 0)
            LOG(FATALITY, "negative");
        sum_of_weights += cursor->weight;
    }
    return (int)sum_of_weights;
}
