#ifndef SHELF_H
#define SHELF_H

#include <stddef.h>
#include <stdint.h>

#define SHELF_RING_SIZE 64
#define SHELF_MIN(a, b) ((a) < (b) ? (a) : (b))

/* A queue of bytes in a fixed array. */
typedef struct shelf_ring {
    uint8_t bytes[SHELF_RING_SIZE];
    size_t head;
    size_t used;
} shelf_ring;

struct shelf_entry {
    char key[24];
    long value;
    int taken;
};

typedef struct shelf_table {
    struct shelf_entry *entries;
    size_t capacity;
    size_t count;
} shelf_table;

enum shelf_status { SHELF_OK, SHELF_FULL, SHELF_MISSING };

void shelf_ring_clear(shelf_ring *ring);
size_t shelf_ring_space(const shelf_ring *ring);

/* Appends as many bytes as fit into the queue and returns how many were taken. */
size_t shelf_ring_write(shelf_ring *ring, const uint8_t *bytes, size_t count);
size_t shelf_ring_read(shelf_ring *ring, uint8_t *bytes, size_t count);

uint32_t shelf_checksum(const void *data, size_t size);
size_t shelf_hash_text(const char *text);

#endif
