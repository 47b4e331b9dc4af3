/* host/store/numbers.h: the highest numbers of jobs and runs that were given out, kept beside the
 * database: one that lost its newest rows does not give their numbers to others. */
#pragma once

#include <stdint.h>

struct sl_numbers {
    int fd; /* owned */
    uint64_t jobs, runs;
};

/* Opens the file, made if absent; what is in it and is no such file counts as 0. 0 or -errno. */
int sl_numbers_open(const char *path, struct sl_numbers *out);
void sl_numbers_close(struct sl_numbers *numbers);

/* Writes the file as it is: can it be written? 0 or -errno. */
int sl_numbers_write(const struct sl_numbers *numbers);

/* Raises both to at least these and writes the file. 0 or -errno; then nothing is raised. */
int sl_numbers_raise(struct sl_numbers *numbers, uint64_t jobs, uint64_t runs);
