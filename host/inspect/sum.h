/* host/inspect/sum.h: a method's nodes in a few figures. */
#pragma once

#include <stdint.h>

struct sl_inspect;
struct sl_inspect_method;

struct sl_inspect_sum {
    uint32_t nodes, delegated, served, predicted; /* predicted: instructions are known */
    uint64_t macs, delegated_macs, served_macs;
    uint64_t weight_bytes;
    uint64_t off_insns, on_insns; /* of the predicted ones */
    uint32_t by_why[9];           /* by enum sl_why */
    uint64_t macs_by_why[9];
};

struct sl_inspect_sum sl_inspect_sum_of(const struct sl_inspect *inspect,
                                        const struct sl_inspect_method *method);

/* part / whole, 0 for a whole of 0. */
double sl_inspect_share(uint64_t part, uint64_t whole);
