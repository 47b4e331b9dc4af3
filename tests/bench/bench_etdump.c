/* tests/bench/bench_etdump.c: how long reading an ETDump takes, against copying its bytes.
 *
 *   bench_etdump [--quick]
 *
 * Prints one JSON object. The file is 100 MB (1 MB with --quick) of executions of 64 operators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/etdump.h"

enum { OPERATORS = 64, RUNS = 5 };

static double now_s(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int put_event(struct sl_etdump_writer *writer, const char *name, bool delegate, uint64_t at)
{
    struct sl_etdump_event event = {.start = at, .end = at + 1000};
    uint32_t text;
    int rc = sl_etdump_writer_name(writer, name, strlen(name), &text);
    return rc < 0 ? rc : sl_etdump_writer_event(writer, &event, text, delegate);
}

/* Puts executions until the file has about `bytes`. Its writer's time goes to *out_seconds. */
static int write_file(size_t bytes, struct sl_buf *out, size_t *out_events, double *out_seconds)
{
    struct sl_etdump_writer *writer = NULL;
    double start = now_s();
    int rc = sl_etdump_writer_new(&writer);
    size_t events = bytes / 95; /* each takes about as much */
    for (size_t i = 0; i < events && rc >= 0; i++) {
        char name[64];
        if (i % OPERATORS == 0)
            rc = sl_etdump_writer_block(writer, "Execute", 7);
        snprintf(name, sizeof(name), "Convolution (NHWC, F32) IGEMM #%u",
                 (unsigned)(i % OPERATORS + 1));
        if (rc >= 0)
            rc = put_event(writer, name, true, 1000 * i);
    }
    if (rc >= 0)
        rc = sl_etdump_writer_finish(writer, out);
    *out_events = events;
    *out_seconds = now_s() - start;
    sl_etdump_writer_free(writer);
    return rc;
}

/* The best of several readings, and of as many copies of the same bytes. */
static int time_file(struct sl_bytes file, size_t events, double *out_parse, double *out_copy)
{
    *out_parse = *out_copy = 1e9;
    for (int run = 0; run < RUNS; run++) {
        struct sl_etdump dump;
        double start = now_s();
        int rc = sl_etdump_parse(file, &dump, NULL);
        double taken = now_s() - start;
        if (rc < 0)
            return rc;
        size_t read = 0;
        for (uint32_t i = 0; i < dump.run_count; i++)
            read += dump.runs[i].event_count;
        sl_etdump_fini(&dump);
        if (read != events)
            return SL_E_MISMATCH;
        *out_parse = taken < *out_parse ? taken : *out_parse;
        start = now_s();
        uint8_t *copy = malloc(file.size);
        if (!copy)
            return SL_E_LIMIT;
        memcpy(copy, file.data, file.size);
        volatile uint8_t last = copy[file.size - 1]; /* so that the copy is made */
        (void)last;
        taken = now_s() - start;
        free(copy);
        *out_copy = taken < *out_copy ? taken : *out_copy;
    }
    return 0;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    struct sl_buf file;
    size_t events = 0;
    double write_s = 0, parse_s = 0, copy_s = 0;
    sl_buf_init(&file, 1u << 30);
    int rc = write_file(quick ? 1000000 : 100000000, &file, &events, &write_s);
    if (rc >= 0)
        rc = time_file((struct sl_bytes){file.data, file.size}, events, &parse_s, &copy_s);
    if (rc < 0)
        fprintf(stderr, "bench_etdump: %s\n", sl_strerror(rc));
    else
        printf("{\"bytes\":%zu,\"events\":%zu,\"write_ns\":%.0f,\"parse_ns\":%.0f,\"copy_ns\":%.0f,"
               "\"parse_to_copy\":%.2f}\n",
               file.size, events, 1e9 * write_s, 1e9 * parse_s, 1e9 * copy_s, parse_s / copy_s);
    sl_buf_fini(&file);
    return rc < 0;
}
