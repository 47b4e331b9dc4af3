/* agent/run/gflags.h: command lines as gflags takes them, with its words for what it refuses.
 *
 * `--f=v`, `--f v`, `-f v`; booleans `--f`, `--nof`, `--f=false`; a dash in a name is as good as an
 * underscore; `--` ends the flags; other words may stand anywhere. gflags' own: --flagfile,
 * --fromenv, --tryfromenv, --undefok, the help flags and --version. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sl_flag_type {
    SL_FLAG_STRING,
    SL_FLAG_BOOL,
    SL_FLAG_INT32,
    SL_FLAG_UINT32,
    SL_FLAG_UINT64,
    SL_FLAG_DOUBLE
};

struct sl_flag {
    const char *name; /* with underscores */
    int type;         /* enum sl_flag_type */
    void *value;      /* const char **, bool *, int32_t *, uint32_t *, uint64_t * */
    bool *given;      /* set when the flag stands on the command line; may be NULL */
    const char *help;
};

enum sl_gflags_result {
    SL_GFLAGS_OK = 0,
    SL_GFLAGS_BAD = 1,     /* every bad flag was named on `err` */
    SL_GFLAGS_HELP = 2,    /* --help or a relative of it */
    SL_GFLAGS_VERSION = 3, /* --version */
};

/* Parses argv[1..]. Values point into argv, into the environment or, from files, into memory that
 * the next call takes again: one command line at a time. Words that are no flags are moved to the
 * front of argv (from index 1) and counted in *out_extra. */
int sl_gflags_parse(const struct sl_flag *flags, size_t count, int argc, char **argv, FILE *err,
                    int *out_extra);
