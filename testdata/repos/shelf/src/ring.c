#include "../include/shelf.h"

#include <string.h>

/* Empties the queue without touching the memory that it uses. */
void shelf_ring_clear(shelf_ring *ring) {
    ring->head = 0;
    ring->used = 0;
}

/* Tells how many more bytes the queue can take before it is full. */
size_t shelf_ring_space(const shelf_ring *ring) { return SHELF_RING_SIZE - ring->used; }

/* Tells whether nothing waits in the queue to be read. */
int shelf_ring_is_empty(const shelf_ring *ring) { return ring->used == 0; }

static size_t wrap(size_t place) { return place % SHELF_RING_SIZE; }

size_t shelf_ring_write(shelf_ring *ring, const uint8_t *bytes, size_t count) {
    count = SHELF_MIN(count, shelf_ring_space(ring));
    for (size_t i = 0; i < count; i++)
        ring->bytes[wrap(ring->head + ring->used + i)] = bytes[i];
    ring->used += count;
    return count;
}

/* Takes the oldest bytes out of the queue and returns how many there were. */
size_t shelf_ring_read(shelf_ring *ring, uint8_t *bytes, size_t count) {
    count = SHELF_MIN(count, ring->used);
    for (size_t i = 0; i < count; i++)
        bytes[i] = ring->bytes[wrap(ring->head + i)];
    ring->head = wrap(ring->head + count);
    ring->used -= count;
    return count;
}

/* Looks at the oldest byte without taking it; minus one if there is none. */
int shelf_ring_peek(const shelf_ring *ring) {
    return shelf_ring_is_empty(ring) ? -1 : ring->bytes[ring->head];
}

/* Moves everything from one queue to another as far as there is room. */
size_t shelf_ring_drain(shelf_ring *from, shelf_ring *to) {
    uint8_t bytes[SHELF_RING_SIZE];
    size_t count = SHELF_MIN(from->used, shelf_ring_space(to));
    shelf_ring_read(from, bytes, count);
    return shelf_ring_write(to, bytes, count);
}
