/* host/inspect/inspect_json.h: an inspected program as JSON, schema sme2lab.inspection/1. */
#pragma once

#include <stdint.h>

struct sl_inspect;
struct sl_json;

/* `only` is a method's index, or -1: all. Writes one object; the writer keeps the first failure. */
void sl_inspect_json(struct sl_json *json, const struct sl_inspect *inspect, const char *file,
                     int64_t only);
