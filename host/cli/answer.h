/* host/cli/answer.h: reads values out of the daemon's answers. Nothing in them is taken for
 * granted: what is absent or of another type is empty. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_buf;
struct sl_diag;

enum { SL_ANSWER_TIME_BYTES = 32 };

const char *sl_answer_text(const struct cJSON *object, const char *key); /* "": none */
uint64_t sl_answer_u64(const struct cJSON *object, const char *key);     /* 0: none */
double sl_answer_f64(const struct cJSON *object, const char *key);       /* 0: none */

/* Unix time as "2026-11-21 12:03:40" of this machine's zone; "-" for 0. Returns `out`. */
const char *sl_answer_time(uint64_t ms, char out[SL_ANSWER_TIME_BYTES]);

/* A span as "12.3 s" or "4 min"; "-" where it has no begin. An end of 0 is now. */
const char *sl_answer_span(uint64_t from_ms, uint64_t to_ms, char out[SL_ANSWER_TIME_BYTES]);

/* Prints a JSON object and a newline, "schema":"sme2lab.SCHEMA/1" before its members; nothing is an
 * object without members. */
void sl_answer_print(const char *schema, const struct sl_buf *object);

/* The id of a `noun` ("job") in a word of the user's. 0 or SL_E_UNSUPPORTED with `diag` set. */
int sl_answer_id(const char *word, const char *noun, uint64_t *out, struct sl_diag *diag);
