/* host/report/etrecord.h: ExecuTorch's ETRecord: which operators of the model an instruction came
 * from, with their types and places in the source. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct cJSON;
struct sl_diag;

enum { SL_ETRECORD_MAX_BYTES = 1 << 30 };

/* An operator of the edge dialect. Texts are owned by the record. */
struct sl_etrecord_node {
    const char *name;
    char type[128];      /* "aten.convolution.default" */
    const char *stack;   /* stack trace; NULL: none */
    const char *modules; /* nn_module_stack as it was stored; NULL: none */
    int64_t handle;
};

struct sl_etrecord {
    struct cJSON *handles, *delegates, *graph; /* of method forward */
    struct sl_etrecord_node *nodes;            /* in the graph's order */
    size_t node_count;
};

/* Reads a record out of a file's bytes, of which it keeps nothing. Returns 0 or a negative code
 * with `diag` set. End with sl_etrecord_fini(). */
int sl_etrecord_parse(struct sl_bytes file, struct sl_etrecord *out, struct sl_diag *diag);
/* Reads the file first: also its -errno. */
int sl_etrecord_load(const char *path, struct sl_etrecord *out, struct sl_diag *diag);
void sl_etrecord_fini(struct sl_etrecord *record);

/* The record's nodes for an event: found by its instruction, or for a delegate's own event by its
 * identifier, which is its name. The runtime's own names (Method::execute) have no operators. */
struct sl_etrecord_match {
    const struct sl_etrecord_node **nodes; /* owned array; the nodes are the record's */
    size_t node_count;
    const char *backend; /* NULL: none */
};
int sl_etrecord_find(const struct sl_etrecord *record, int64_t instruction, const char *name,
                     size_t len, bool delegated, struct sl_etrecord_match *out);
void sl_etrecord_match_fini(struct sl_etrecord_match *match);

/* The last place in the model's own source of a stack trace: "models.py:27". Empty: none. */
void sl_etrecord_place(const struct sl_etrecord_node *node, char *out, size_t size);
/* The text of that line, as far as the stack trace has it: "return a + b". Empty: none. */
void sl_etrecord_code(const struct sl_etrecord_node *node, char *out, size_t size);
