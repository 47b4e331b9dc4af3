/* host/cli/model_plan.h: a program with what an agent says it would run, for verbs that need both.
 */
#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "host/analysis/origin_plan.h"

struct sl_cli;
struct sl_diag;
struct sl_inspect;

/* Asks the agent (of this machine where it has SME2, else in the emulator at `svl` bits) and puts
 * its plan and predicted costs into `inspect`, which was read from `path`; `data` is the file of
 * its external weights, or NULL. Nothing is executed.
 * Returns 0 or a negative code with `diag` set. */
int sl_model_plan_ask(const struct sl_cli *cli, const char *path, const char *data, unsigned svl,
                      struct sl_inspect *inspect, struct sl_diag *diag);

/* The origins of a program's first method, with SME2 off and on. */
struct sl_model_origins {
    struct sl_buf file;
    struct sl_inspect *inspect;
    struct sl_origin_planned *operators[2]; /* owned; off, on */
    struct sl_origin_plan plans[2];         /* of them; empty: not compiled */
};

/* All zeros at first; end with sl_model_origins_fini() in any case. */
int sl_model_origins_read(const struct sl_cli *cli, const char *path, const char *data,
                          struct sl_model_origins *out, struct sl_diag *diag);
void sl_model_origins_fini(struct sl_model_origins *origins);
