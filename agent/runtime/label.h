/* agent/runtime/label.h: the names of a variant's events in the trace. */
#pragma once

struct sl_variant;

/* Interns the names of every event of an execution; after all is prepared. 0 or -ENOMEM. */
int sl_variant_label(struct sl_variant *variant);
