#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Counts how often a character occurs in a string that ends with zero. */
size_t count_char(const char *text, char wanted) {
    size_t count = 0;
    for (; *text; text++)
        if (*text == wanted)
            count++;
    return count;
}

/* Removes white space from the end of a string, in place. */
void trim_right(char *text) {
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

/* Skips white space at the start of a string and returns what follows it. */
const char *skip_blank(const char *text) {
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Turns every letter of a string into lower case. */
void lower_in_place(char *text) {
    for (; *text; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* Tells whether one string begins with all characters of another one. */
int has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Tells whether one string ends with all characters of another one. */
int has_suffix(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && memcmp(text + length - tail, suffix, tail) == 0;
}

/* Reverses the order of the bytes in a buffer, in place. */
void reverse_bytes(unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        unsigned char kept = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = kept;
    }
}

/* Reads a decimal number from a string; stops at the first character that is no digit. */
long parse_decimal(const char *text) {
    long value = 0;
    int negative = *text == '-';
    if (negative)
        text++;
    while (*text >= '0' && *text <= '9')
        value = value * 10 + (*text++ - '0');
    return negative ? -value : value;
}

/* Copies a string into a buffer of limited size and always ends it with zero. */
size_t copy_bounded(char *target, size_t size, const char *source) {
    size_t i = 0;
    if (size == 0)
        return 0;
    for (; i + 1 < size && source[i]; i++)
        target[i] = source[i];
    target[i] = '\0';
    return i;
}

/* Finds the last place where a character stands in a string, or minus one. */
long last_index(const char *text, char wanted) {
    long found = -1;
    for (long i = 0; text[i]; i++)
        if (text[i] == wanted)
            found = i;
    return found;
}

/* Computes the greatest common divisor of two numbers by Euclid's method. */
unsigned greatest_divisor(unsigned a, unsigned b) {
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Raises a number to a power by repeated squaring. */
unsigned long power_of(unsigned long base, unsigned exponent) {
    unsigned long result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

/* Counts the bits that are set in a word. */
int count_bits(unsigned long word) {
    int bits = 0;
    for (; word; word &= word - 1)
        bits++;
    return bits;
}

int is_power_of_two(unsigned long word) { return word && !(word & (word - 1)); }

/* Short. */
int sign_of(int number) { return (number > 0) - (number < 0); }

/* Sorts an array of numbers by insertion, smallest first. */
void sort_numbers(int *numbers, size_t count) {
    for (size_t i = 1; i < count; i++) {
        int moved = numbers[i];
        size_t j = i;
        for (; j > 0 && numbers[j - 1] > moved; j--)
            numbers[j] = numbers[j - 1];
        numbers[j] = moved;
    }
}

/* Searches a sorted array for a number by halving the range again and again. */
long find_sorted(const int *numbers, size_t count, int wanted) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbers[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && numbers[low] == wanted ? (long)low : -1;
}
