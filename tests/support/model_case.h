/* tests/support/model_case.h: a program of tests/data, loaded, run and compared. All functions fail
 * the test when something goes wrong. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "agent/runtime/runtime.h"
#include "common/base/buf.h"

struct sl_recorder;

struct sl_model_case {
    struct sl_model *model;
    struct sl_method *method;
    struct sl_data *data;  /* of a weights.ptd beside the program; NULL: there is none */
    struct sl_buf program; /* when opened from memory */
    bool traced;           /* sl_case_run_files() and its like record; false after opening */
    char log[4096];        /* lines so far, "E file.cpp: message\n" */
};

/* A model is a folder of tests/data/models, or, with a slash in front, any other. */
void sl_case_read(const char *model, const char *file, struct sl_buf *out);
bool sl_case_has(const char *model, const char *file);

void sl_case_open(struct sl_model_case *c, const char *model);
void sl_case_open_method(struct sl_model_case *c, const char *model, const char *method);
void sl_case_close(struct sl_model_case *c);
/* The function of a case's log; `user` is the case. */
void sl_case_log(void *user, char level, const char *file, int line, const char *message);

/* Calls `run` with each program's folder below the directory that the environment variable
 * SL_FIXTURES names; returns their number. None when it is not set, or in an emulator at a vector
 * length other than 512 bits, unless SL_ALL_SVL is set. */
unsigned sl_case_each_fixture(void (*run)(const char *model));
/* The same with each program of tests/data, always. */
unsigned sl_case_each_model(void (*run)(const char *model));
/* The same with each folder that has such a file: bundled programs are "model.bpte". */
unsigned sl_case_each_fixture_with(const char *file, void (*run)(const char *model));
unsigned sl_case_each_model_with(const char *file, void (*run)(const char *model));

/* The masks a test runs under: all the CPU has, that without SME, portable; fewer where they are
 * the same. */
enum { SL_CASE_MASKS = 3 };
unsigned sl_case_masks(uint32_t masks[SL_CASE_MASKS]);
/* The first alone, as the CPUs share the work: the emulated one without SME has NEON's kernels,
 * this machine's own build the portable ones. All masks where SL_ALL_SVL is set. */
unsigned sl_case_own_masks(uint32_t masks[SL_CASE_MASKS]);
/* The same for each program of SL_FIXTURES, many of them large; none on a CPU with SME2 and no SVE.
 */
unsigned sl_case_fixture_masks(uint32_t masks[SL_CASE_MASKS]);

struct sl_variant *sl_case_compile(struct sl_model_case *c, uint32_t isa, uint16_t index,
                                   struct sl_recorder *recorder);
/* Sets input 0, the others to ones, and executes. */
void sl_case_run(struct sl_model_case *c, struct sl_variant *variant, const struct sl_buf *input,
                 bool traced);
/* Takes every input of the model from FOLDER ("" or "case-.../"). */
void sl_case_set_files(struct sl_model_case *c, const char *model, const char *folder);
/* Output 0 lies within 1e-4 of the peak of `expected`. */
void sl_case_check_close(const struct sl_model_case *c, const struct sl_buf *expected);
/* Takes every input of the model from FOLDER ("" or "case-.../"), executes, and compares every
 * output so with that folder's. */
void sl_case_run_files(struct sl_model_case *c, struct sl_variant *variant, const char *model,
                       const char *folder);
/* How near an output is to come; integers and Booleans are always equal. */
enum sl_case_gate {
    SL_GATE_EXACT,   /* the same bytes, floats of the last operators within 1e-6 */
    SL_GATE_F32,     /* 1e-4 of the peak */
    SL_GATE_F16,     /* 2e-2 of the peak and 5e-3 in the root mean square */
    SL_GATE_INT8,    /* 2e-2 in the root mean square */
    SL_GATE_DYNAMIC, /* 3e-2 in the root mean square */
};
/* As sl_case_run_files(), but compares with what the real runtime gave on the CPU whose kernels
 * `isa` allows (aarch64-sme2, aarch64-nosme), else on x86-64; portable kernels, half
 * precision and static int8 between floats with the nearest of all. */
void sl_case_run_gated(struct sl_model_case *c, struct sl_variant *variant, uint32_t isa,
                       const char *model, const char *folder, int gate);
/* Copies output 0 into a fresh buffer. */
void sl_case_output(const struct sl_model_case *c, struct sl_buf *out);
