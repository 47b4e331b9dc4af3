/* agent/run/options.h: what a run was asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sl_diag;

enum {
    SL_AGENT_RUN_MAX_VARIANTS = 2,
    SL_AGENT_RUN_DEFAULT_PAIRS = 20,
    SL_AGENT_RUN_COUNTED_PAIRS = 2,
};

/* Ends the families in --policy; single operators may follow. */
#define SL_AGENT_RUN_END_OF_FAMILIES ";"

/* A variant as asked for: its name and the mask behind it. */
struct sl_agent_run_variant_spec {
    char name[32];
    uint32_t isa; /* kernels/cpu/isa.h, with policy.h's bits where it has SME */
};

/* The flags are options.inc's, each explained there. Texts point into argv. */
struct sl_agent_run_options {
#define TEXT(field, ...) const char *field;
#define TRUTH(field, ...) bool field;
#define INT32(field, ...) int32_t field;
#define UINT32(field, ...) uint32_t field;
#define UINT64(field, ...) uint64_t field;
#define REAL(field, ...) double field;
#include "agent/run/options.inc"
    bool counted; /* --clock marks */
    bool clean;   /* --events runs */
    bool paired;  /* --variants */
    size_t variant_count;
    struct sl_agent_run_variant_spec variant[SL_AGENT_RUN_MAX_VARIANTS];
    size_t compared_count; /* --compare-with */
    struct sl_agent_run_variant_spec compared[SL_AGENT_RUN_MAX_VARIANTS];
};

/* How `serve` writes the field of a Job as the flag. */
enum sl_agent_run_form {
    SL_FORM_VALUE,    /* as it is, unless it is 0 or empty */
    SL_FORM_ALWAYS,   /* as it is */
    SL_FORM_BLOB,     /* the path of the blob */
    SL_FORM_BLOBS,    /* the paths, separated by commas */
    SL_FORM_VARIANTS, /* a single word is --isa's */
    SL_FORM_WEIGHTS,  /* true: a directory of its own */
    SL_FORM_CLEAN,    /* true: runs */
};

/* For which processes: the measured run, those beside it, an external runner. */
enum { SL_FOR_RUN = 1, SL_FOR_LOAD = 2, SL_FOR_ALL = 3 };

struct sl_agent_run_option {
    const char *name; /* of the flag, with underscores; the field's */
    int type;         /* enum sl_flag_type */
    size_t at;        /* offset in the struct */
    enum { SL_AGENT_RUN_OF_SME2LAB, SL_AGENT_RUN_OF_RUNNER } part;
    const char *said, *page; /* to whom uses it wrongly; lines of --help */
    const char *job;         /* field of proto/job.proto's Job; NULL: none is */
    enum sl_agent_run_form form;
    unsigned whom;
};

extern const struct sl_agent_run_option sl_agent_run_option_list[];
extern const size_t sl_agent_run_option_count;

enum sl_agent_run_parsed { SL_AGENT_RUN_GO = 0, SL_AGENT_RUN_STOP = 1, SL_AGENT_RUN_DONE = 2 };

/* Parses argv[1..] and checks the words that gflags cannot. SL_AGENT_RUN_STOP: refused, said on
 * `err` or in the log. SL_AGENT_RUN_DONE: help or version was printed; *out_exit is the exit code.
 */
int sl_agent_run_options_parse(struct sl_agent_run_options *options, int argc, char **argv,
                               FILE *err, int *out_exit);

/* Fills in `variant`: `detected` are the CPU's bits. SL_E_UNSUPPORTED or SL_E_FORMAT with words. */
int sl_agent_run_options_variants(struct sl_agent_run_options *options, uint32_t detected,
                                  struct sl_diag *diag);
