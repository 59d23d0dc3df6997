#include "../include/shelf.h"

#include <stdlib.h>
#include <string.h>

/* Mixes the characters of a string into one number for use as a hash. */
size_t shelf_hash_text(const char *text) {
    size_t hash = 5381;
    while (*text)
        hash = hash * 33 ^ (unsigned char)*text++;
    return hash;
}

/* Allocates a table with room for a number of entries, all of them free. */
int shelf_table_open(shelf_table *table, size_t capacity) {
    table->entries = calloc(capacity, sizeof *table->entries);
    table->capacity = table->entries ? capacity : 0;
    table->count = 0;
    return table->entries != NULL;
}

/* Gives back the memory of a table. */
void shelf_table_close(shelf_table *table) {
    free(table->entries);
    table->entries = NULL;
    table->capacity = table->count = 0;
}

static struct shelf_entry *slot_of(const shelf_table *table, const char *key) {
    size_t start = shelf_hash_text(key);
    for (size_t i = 0; i < table->capacity; i++) {
        struct shelf_entry *entry = &table->entries[(start + i) % table->capacity];
        if (!entry->taken || strncmp(entry->key, key, sizeof entry->key) == 0)
            return entry;
    }
    return NULL;
}

/* Stores a value under a key; an older value of the same key is replaced. */
enum shelf_status shelf_table_put(shelf_table *table, const char *key, long value) {
    struct shelf_entry *entry = slot_of(table, key);
    if (!entry)
        return SHELF_FULL;
    if (!entry->taken) {
        strncpy(entry->key, key, sizeof entry->key - 1);
        entry->taken = 1;
        table->count++;
    }
    entry->value = value;
    return SHELF_OK;
}

/* Looks up the value that was stored under a key. */
enum shelf_status shelf_table_get(const shelf_table *table, const char *key, long *value) {
    struct shelf_entry *entry = slot_of(table, key);
    if (!entry || !entry->taken)
        return SHELF_MISSING;
    *value = entry->value;
    return SHELF_OK;
}

/* Adds up all values that are stored in a table. */
long shelf_table_sum(const shelf_table *table) {
    long sum = 0;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].taken)
            sum += table->entries[i].value;
    return sum;
}

/* Computes which share of the entries is taken, in percent. */
unsigned shelf_table_load(const shelf_table *table) {
    return table->capacity ? (unsigned)(table->count * 100 / table->capacity) : 0;
}
