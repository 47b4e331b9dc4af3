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

int sl_numbers_write(const struct sl_numbers *numbers)
{
    char line[LINE_BYTES + 1];
    snprintf(line, sizeof(line), "jobs %020" PRIu64 " runs %020" PRIu64 " . \n", numbers->jobs,
             numbers->runs);
    ssize_t size = pwrite(numbers->fd, line, LINE_BYTES, 0);
    return size == LINE_BYTES ? 0 : size < 0 ? -errno : -EIO;
}

int sl_numbers_raise(struct sl_numbers *numbers, uint64_t jobs, uint64_t runs)
{
    struct sl_numbers raised = *numbers;
    raised.jobs = jobs > numbers->jobs ? jobs : numbers->jobs;
    raised.runs = runs > numbers->runs ? runs : numbers->runs;
    if (raised.jobs == numbers->jobs && raised.runs == numbers->runs)
        return 0;
    int rc = sl_numbers_write(&raised);
    if (rc == 0)
        *numbers = raised;
    return rc;
}
