/* host/spec/param.h: the parameters of struct sl_spec as a table: what each is called in JSON, on
 * the command line, on the wire and in the manifest, and what it may be. Made of spec.inc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/spec/json_read.h"
#include "host/spec/spec.h"

struct cJSON;
struct sl_diag;
struct sl_json;

enum sl_param_type {
    SL_PARAM_TEXT,
    SL_PARAM_WORD,   /* short, kept in the struct */
    SL_PARAM_COUNT,  /* uint32_t */
    SL_PARAM_NUMBER, /* int32_t */
    SL_PARAM_REAL,
    SL_PARAM_FLAG,
    SL_PARAM_CHOICE, /* one of `words` */
    SL_PARAM_COUNTS, /* a number, or one of `words` by its place, or a list of such: an experiment
                        for each */
    SL_PARAM_TEXTS,
    SL_PARAM_PATH, /* in a job's body the digest, the path among what is shown */
    SL_PARAM_PATHS,
    SL_PARAM_LABELS, /* an object of texts */
    SL_PARAM_FIXED,  /* {"sme2": ["off", "on"]}, which is all that there is */
};

/* The places of a parameter: a configuration's top, its experiments, the body of POST /jobs, and
 * `shown` there, which the run's files have in place of the daemon's own paths. */
enum sl_param_scope {
    SL_IN_TOP = 1,
    SL_IN_EXPERIMENT = 2,
    SL_IN_JOB = 4,
    SL_IN_SHOWN = 8,
    SL_IN_ALL = SL_IN_TOP | SL_IN_EXPERIMENT | SL_IN_JOB,
};

enum { SL_VERB_RUN = 1, SL_VERB_SUBMIT = 2, SL_VERB_BOTH = 3 };

/* In the manifest: not at all, if it is not as where nothing is said, as null then, or always. */
enum sl_param_record { SL_RECORD_NONE, SL_RECORD_SET, SL_RECORD_NULL, SL_RECORD_ALWAYS };

/* A path in a configuration: its file is read, where it lies beside the configuration from there;
 * is meant only if it lies there, because other folders are looked through or it may be no file; is
 * written there. */
enum sl_param_place { SL_PLACE_ANY, SL_PLACE_BESIDE, SL_PLACE_WRITTEN };

enum { SL_PARAM_MAX_WORDS = 7 };

struct sl_param {
    enum sl_param_type type;
    size_t at, second_at, count_at; /* offsets in the struct; second: digests, values of labels */
    const char *key, *alias;        /* of JSON; the alias is for configurations */
    const char *job_key;            /* in a job's body, if it is another there */
    unsigned in, always;            /* enum sl_param_scope: where it may stand, where it is written
                                       even as where nothing is said */
    double low, high;               /* of numbers */
    double initial, job_initial;    /* where nothing is said; the second, if not 0, in a body */
    const char *text;               /* the same of a word */
    size_t most;                    /* bytes of a text, items of a list; 0: its array's */
    const char *words[SL_PARAM_MAX_WORDS];
    size_t job_words; /* how many of them a body may have; 0: all */
    void (*check)(const struct sl_json_at *at, const char *text);
    const char *refusal, *hint; /* for a value that is of no use */
    enum sl_param_place place;  /* of a path */
    bool own;                   /* not for external runners */
    bool conditions;            /* may be an object of conditions (host/spec/selector_json.h) */
    const char *ending;         /* of NAME_tN; with words NAME_WORD, and NAME for the first */
    const char *option, *argument, *says; /* on the command line; NULL: not there */
    char short_option;                    /* -o */
    unsigned verbs;                       /* that have the option */
    const char *wire;                     /* field of proto/job.proto's Job; NULL: none */
    unsigned scale;                       /* what it is multiplied with there; 0: 1 */
    bool measured;                        /* not for the run of the portable kernels */
    enum sl_param_record record;          /* member of manifest.json, by its key */
    const char *help, *blob, *pattern;    /* of the schema; blob: in a body */
};

extern const struct sl_param sl_params[];
enum { SL_PARAMS_MAX = 64 }; /* there are no more: param.c asserts it */
extern const size_t sl_param_count;

/* The key in that scope; NULL: it does not stand there. */
const char *sl_param_key(const struct sl_param *param, unsigned scope);

/* Its storage in the struct. */
void *sl_param_value(const struct sl_param *param, struct sl_spec *spec);
const void *sl_param_read(const struct sl_param *param, const struct sl_spec *spec);
size_t *sl_param_items(const struct sl_param *param, struct sl_spec *spec); /* of a list */
size_t sl_param_item_count(const struct sl_param *param, const struct sl_spec *spec);
/* The digests of a parameter that is a path or a list of paths. */
const char *const *sl_param_digests(const struct sl_param *param, const struct sl_spec *spec);

/* Reads what `object` says of the parameters of `scope` into `spec`; the object's keys are theirs
 * and the `other` ones. A failure sticks in the object's reader. */
void sl_params_read(const struct sl_json_at *object, unsigned scope, const char *const *other,
                    size_t other_count, struct sl_spec *spec);

/* Is it as where nothing is said? */
bool sl_param_is_set(const struct sl_param *param, unsigned scope, const struct sl_spec *spec);

/* Writes the members of that scope into an open object, but for those that may stand in `without`
 * as well. */
void sl_params_put(struct sl_json *json, unsigned scope, unsigned without,
                   const struct sl_spec *spec);

/* The members of manifest.json that record parameters, into an open object; and whether a member of
 * one that is there can be what was recorded. */
void sl_params_record(struct sl_json *json, const struct sl_spec *spec);
bool sl_param_fits_record(const struct sl_param *param, const struct cJSON *value);

/* Sets a label, in place of one of the same key; both texts are borrowed. SL_E_UNSUPPORTED with
 * `diag` set for one that is empty or too long, and for too many. */
int sl_param_set_label(const struct sl_param *param, const char *key, const char *value,
                       struct sl_spec *spec, struct sl_diag *diag);

/* "4" or "1,2,4" for a parameter that is a list of counts; `where` is for messages. */
int sl_param_parse_counts(const struct sl_param *param, const char *text, struct sl_spec *spec,
                          struct sl_diag *diag);

/* A SHA-256, as sl_json_get_text() reads a text. */
const char *sl_param_get_digest(struct sl_json_at at);

/* Calls for each file of the spec, by its path (NULL: not shown) and the place of its digest, until
 * a negative code, which it returns. */
typedef int (*sl_param_file_fn)(void *user, const struct sl_param *param, const char *path,
                                const char **sha256);
int sl_params_each_file(struct sl_spec *spec, sl_param_file_fn call, void *user);
