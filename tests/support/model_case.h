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
    struct sl_buf program; /* when opened from memory */
    char log[4096];        /* lines so far, "E file.cpp: message\n" */
};

/* Reads tests/data/models/MODEL/FILE. */
void sl_case_read(const char *model, const char *file, struct sl_buf *out);

void sl_case_open(struct sl_model_case *c, const char *model);
void sl_case_close(struct sl_model_case *c);
/* What the log of a case is given as; `user` is the case. */
void sl_case_log(void *user, char level, const char *file, int line, const char *message);

/* The masks a test runs under: all the CPU has, that without SME, portable; fewer where they are
 * the same. */
enum { SL_CASE_MASKS = 3 };
unsigned sl_case_masks(uint32_t masks[SL_CASE_MASKS]);

struct sl_variant *sl_case_compile(struct sl_model_case *c, uint32_t isa, uint16_t index,
                                   struct sl_recorder *recorder);
/* Sets input 0, the others to ones, and executes. */
void sl_case_run(struct sl_model_case *c, struct sl_variant *variant, const struct sl_buf *input,
                 bool traced);
/* Output 0 lies within 1e-4 of the peak of `expected`. */
void sl_case_check_close(const struct sl_model_case *c, const struct sl_buf *expected);
/* Takes every input of the model from FOLDER ("" or "case-.../"), executes, and compares every
 * output so with that folder's. */
void sl_case_run_files(struct sl_model_case *c, struct sl_variant *variant, const char *model,
                       const char *folder);
/* Copies output 0 into a fresh buffer. */
void sl_case_output(const struct sl_model_case *c, struct sl_buf *out);
