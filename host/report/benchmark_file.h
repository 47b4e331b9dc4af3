/* host/report/benchmark_file.h: reads what other benchmarks found: the JSON of google/benchmark
 * (--benchmark_out_format=json), Bencher's (a measure "latency" for each name), and the
 * benchmark.json that an import keeps of one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct cJSON;
struct sl_diag;

enum { SL_BENCHMARK_MAX = 4096 };

/* One benchmark: the time of an iteration in each of its repetitions, or what is told of them. */
struct sl_benchmark {
    const char *name; /* borrowed from the document */
    double *times_ns; /* owned, in the order of the file; NULL: only the median is told */
    size_t count;
    double median_ns;
};

/* Texts are borrowed from the document. */
struct sl_benchmark_file {
    const char *tool;    /* "google/benchmark" or "bencher"; of a kept one what it says */
    const char *host;    /* that it ran on; NULL: not told */
    const char *program; /* path of it; NULL: not told */
    uint64_t began_ms;   /* Unix time; 0: not told */
    size_t left_out;     /* benchmarks that failed or were skipped, or told no time to speak of */
    struct sl_benchmark *rows; /* owned; each name once, in the order of the file */
    size_t count;
    struct cJSON *document; /* owned */
};

/* Parses the text of `file` (its name for messages). Wall time is taken, of aggregates the median
 * alone, and that where there are no repetitions. 0, SL_E_FORMAT, SL_E_LIMIT or -ENOMEM; on success
 * end `out` with sl_benchmark_file_fini(). */
int sl_benchmark_file_parse(struct sl_bytes text, const char *file, struct sl_benchmark_file *out,
                            struct sl_diag *diag);
void sl_benchmark_file_fini(struct sl_benchmark_file *file);
