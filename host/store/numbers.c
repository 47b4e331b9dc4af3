/* host/store/numbers.c */
#include "host/store/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* One line of this length, so that a write replaces all of it. */
enum { LINE_BYTES = 55 };

int sl_numbers_open(const char *path, struct sl_numbers *out)
{
    char line[LINE_BYTES + 1] = "";
    struct sl_numbers numbers = {.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (numbers.fd < 0)
        return -errno;
    ssize_t size = pread(numbers.fd, line, LINE_BYTES, 0);
    int end = 0;
    if (size != LINE_BYTES ||
        sscanf(line, "jobs %20" SCNu64 " runs %20" SCNu64 " .%n", &numbers.jobs, &numbers.runs,
               &end) != 2 ||
        end == 0 || numbers.jobs > INT64_MAX || numbers.runs > INT64_MAX)
        numbers.jobs = numbers.runs = 0;
    *out = numbers;
    return 0;
}

void sl_numbers_close(struct sl_numbers *numbers)
{
    close(numbers->fd);
    numbers->fd = -1;
}

int sl_numbers_raise(struct sl_numbers *numbers, uint64_t jobs, uint64_t runs)
{
    char line[LINE_BYTES + 1];
    jobs = jobs > numbers->jobs ? jobs : numbers->jobs;
    runs = runs > numbers->runs ? runs : numbers->runs;
    if (jobs == numbers->jobs && runs == numbers->runs)
        return 0;
    snprintf(line, sizeof(line), "jobs %020" PRIu64 " runs %020" PRIu64 " . \n", jobs, runs);
    ssize_t size = pwrite(numbers->fd, line, LINE_BYTES, 0);
    if (size != LINE_BYTES)
        return size < 0 ? -errno : -EIO;
    numbers->jobs = jobs;
    numbers->runs = runs;
    return 0;
}
