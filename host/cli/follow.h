/* host/cli/follow.h: a job from now to its end, for watch and wait. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_cli;
struct sl_client;
struct sl_diag;

/* The known state of a running job. Texts are "" where nothing is known. */
struct sl_follow_state {
    char state[16], device[64], detail[160], phase[32], part[32];
    uint64_t pair, pairs;         /* finished, of how many; 0: unknown */
    double ratio;                 /* running figure off / on; 0: none */
    double off_ms, on_ms;         /* mean of an execution so far; 0: none */
    double precision, half_width; /* percent: asked for, seen at the last look; 0: none */
    double insns, expected_insns; /* counted so far, and at the end; 0: none, unknown */
    double percent;               /* of the pairs; below 0: unknown */
    /* Unix time: of the event, and when the job and its pairs began; 0: unknown. */
    uint64_t now_ms, started_ms, pairs_ms;
};

/* Lays an event's object, which came at `now_ms`, over what is known. */
void sl_follow_take(struct sl_follow_state *state, const struct cJSON *data);

/* "job 7 on counted-512: measuring, pair 1 of 2, 50 %, 3.1 s, 2.4 s left, off / on = 3.100".
 * Returns `out`. */
const char *sl_follow_words(const struct sl_follow_state *state, uint64_t job, char *out,
                            size_t size);

/* An event as a line of JSON on standard output. */
void sl_follow_print_event(const char *type, const struct cJSON *data);

/* Follows the job until it has ended. `show`: on a terminal a line on standard error that is drawn
 * again with each event; with --json each event as a line on standard output. 0 or as
 * sl_stream_follow(). */
int sl_follow_job(const struct sl_cli *cli, struct sl_client *client, uint64_t job, bool show,
                  struct sl_diag *diag);
