/* common/format/bundle.h: reader of ExecuTorch's bundled programs (.bpte, identifier BP08): a
 * program with inputs for its methods and the outputs expected of them.
 * Source of the format: ExecuTorch 1.5 devtools/bundled_program/schema. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;
struct sl_arena;

enum sl_bundle_kind {
    SL_BUNDLE_TENSOR = 1,
    SL_BUNDLE_INT = 2,
    SL_BUNDLE_BOOL = 3,
    SL_BUNDLE_DOUBLE = 4
};

struct sl_bundle_value {
    int kind; /* enum sl_bundle_kind */
    union {
        struct {
            int scalar_type; /* enum sl_scalar_type */
            uint32_t rank;
            const int32_t *sizes;
            const uint8_t *dim_order;
            struct sl_bytes data; /* as many as the shape needs */
        } tensor;
        int64_t int_value;
        bool bool_value;
        double double_value;
    };
};

struct sl_bundle_case {
    uint32_t input_count, output_count;
    const struct sl_bundle_value *inputs, *outputs;
};

struct sl_bundle_suite {
    const char *method;
    uint32_t case_count;
    const struct sl_bundle_case *cases;
};

struct sl_bundle {
    struct sl_bytes program; /* a .pte, borrowed from the file */
    uint32_t suite_count;
    const struct sl_bundle_suite *suites;
    struct sl_arena *pool; /* owns the arrays */
};

/* True if the bytes begin like a bundled program. */
bool sl_bundle_is(struct sl_bytes file);

/* Parses a whole file, which is borrowed and must outlive `out`; end that with sl_bundle_fini().
 * The program inside is not looked at. Returns as sl_pte_parse() does. */
int sl_bundle_parse(struct sl_bytes file, struct sl_bundle *out, struct sl_diag *diag);
void sl_bundle_fini(struct sl_bundle *bundle);

/* The program in the file: itself, or the one in a bundled program. Borrowed from it. 0, or as
 * sl_bundle_parse(). */
int sl_bundle_program(struct sl_bytes file, struct sl_bytes *out, struct sl_diag *diag);

/* Case `index` of a method, or NULL. */
const struct sl_bundle_case *sl_bundle_find(const struct sl_bundle *bundle, const char *method,
                                            uint32_t index);
