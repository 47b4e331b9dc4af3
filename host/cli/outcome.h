/* host/cli/outcome.h: how a job ended, and the exit code that this means. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cJSON;
struct sl_client;
struct sl_diag;

enum { SL_OUTCOME_NAME_BYTES = 64, SL_OUTCOME_DETAIL_BYTES = 256 };

struct sl_outcome {
    uint64_t job, run; /* run 0: none was made */
    char state[16], cause[16], verdict[SL_OUTCOME_NAME_BYTES];
    char model[SL_OUTCOME_NAME_BYTES], device[SL_OUTCOME_NAME_BYTES],
        detail[SL_OUTCOME_DETAIL_BYTES];
    double ratio; /* 0: none */
    bool ended;
    int exit_code; /* of an ended one */
};

/* From the answers to GET /jobs/{id} and GET /runs/{id} (NULL: there is no run). */
void sl_outcome_read(const struct cJSON *job, const struct cJSON *run, struct sl_outcome *out);

/* Asks for both; as sl_client_send(). */
int sl_outcome_fetch(struct sl_client *client, uint64_t job, struct sl_outcome *out,
                     struct sl_diag *diag);

/* True for the name of a state that a job stays in. */
bool sl_outcome_is_end(const char *state);

/* Did it leave files to fetch? */
bool sl_outcome_has_files(const struct sl_outcome *outcome);

/* The graver code of two jobs: a failure is graver than a regression, and that than no verdict. */
int sl_outcome_worse(int a, int b);

/* A line for people on standard output. */
void sl_outcome_print(const struct sl_outcome *outcome);
struct sl_json;
void sl_outcome_json(const struct sl_outcome *outcome, struct sl_json *json);
