#include "../include/shelf.h"

#include <assert.h>

static const uint32_t weights[4] = {1, 3, 7, 9};

#define WEIGHT_OF(place) weights[(place) & 3]

/* Adds up weighted bytes so that swapped neighbors are noticed. */
uint32_t shelf_checksum(const void *data, size_t size) {
    const uint8_t *bytes = data;
    uint32_t sum = 0;
    assert(data != NULL || size == 0);
    for (size_t i = 0; i < size; i++)
        sum += bytes[i] * WEIGHT_OF(i);
    return sum;
}

/* Folds a wide checksum into sixteen bits by adding its halves. */
uint16_t shelf_checksum_fold(uint32_t sum) { return (uint16_t)((sum >> 16) + (sum & 0xffff)); }

/* Checks that the bytes of a block still have the checksum that was noted for them. */
int shelf_checksum_verify(const void *data, size_t size, uint32_t noted) {
    return shelf_checksum(data, size) == noted;
}
