/* host/spec/json_read.h: reads a JSON document member by member. The first error sticks, as it does
 * in the writer of common/base/json.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_diag;

enum { SL_JSON_POINTER_BYTES = 160 };

/* After the first failure each call does nothing, gives nothing and leaves its outputs alone, so a
 * caller checks `error` once, at the end. `diag` then has the value's JSON pointer (RFC 6901), a
 * sentence and often a hint. */
struct sl_json_reader {
    int error;            /* SL_E_FORMAT, or the code that sl_json_stop() was given */
    struct sl_diag *diag; /* borrowed; may be NULL */
};

/* A value with its place. Everything in it is borrowed, the place around it too. */
struct sl_json_at {
    struct sl_json_reader *reader;
    const struct sl_json_at *outer; /* NULL at the top */
    const struct cJSON *value;      /* NULL when absent */
    const char *key;                /* NULL for an item of an array */
};

struct sl_json_at sl_json_root(struct sl_json_reader *reader, const struct cJSON *document);
struct sl_json_at sl_json_member(const struct sl_json_at *object, const char *key);

/* Items of an array, members of an object:
 *   for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) */
struct sl_json_at sl_json_first(const struct sl_json_at *list);
bool sl_json_more(const struct sl_json_at *at); /* false after a failure too */
void sl_json_next(struct sl_json_at *at);
size_t sl_json_size(const struct sl_json_at *at); /* 0 for what is neither, and after a failure */
bool sl_json_is_array(const struct sl_json_at *at);
bool sl_json_has_text(const struct sl_json_at *at); /* one that is not empty */

/* Fails with this sentence at this place. The hint says how to mend it: set it before. */
__attribute__((format(printf, 2, 3))) void sl_json_refuse(const struct sl_json_at *at,
                                                          const char *what, ...);
__attribute__((format(printf, 2, 3))) void sl_json_hint(const struct sl_json_at *at,
                                                        const char *hint, ...);

/* Fails with a negative code whose `diag`, if it has one, is set already; 0 does nothing. */
void sl_json_stop(const struct sl_json_at *at, int code);

/* Each key must be one of `keys`, and the first `needed` of them must be there. */
void sl_json_need_object(const struct sl_json_at *at, const char *const *keys, size_t count,
                         size_t needed);
/* An object with these keys at least. */
void sl_json_need_keys(const struct sl_json_at *at, const char *const *keys, size_t count);
/* An array of at most `most` items, an object of that many members; returns how many. `what` they
 * are is for the message. */
size_t sl_json_need_array(const struct sl_json_at *at, size_t most, const char *what);
size_t sl_json_need_members(const struct sl_json_at *at, size_t most, const char *what);

/* Typed reads. An absent value leaves *out alone; a wrong type or range is a failure. A text is not
 * empty; the first gives NULL if absent, the second copies up to size - 1 bytes. */
const char *sl_json_get_text(struct sl_json_at at);
void sl_json_copy_text(struct sl_json_at at, char *out, size_t size);
bool sl_json_is_text(struct sl_json_at at, const char *word); /* false after a failure too */
void sl_json_get_integer(struct sl_json_at at, uint32_t low, uint32_t high, uint32_t *out);
void sl_json_get_count(struct sl_json_at at, uint64_t *out); /* up to 2^53 */
void sl_json_get_bool(struct sl_json_at at, bool *out);
void sl_json_get_real(struct sl_json_at at, double low, double high, double *out);

/* Puts the document's file before the place of a refusal, unless that names one already. */
void sl_json_name_file(const char *file, struct sl_diag *diag);
