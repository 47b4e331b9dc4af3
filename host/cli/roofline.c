/* host/cli/roofline.c */
#include "host/cli/roofline.h"

#include <string.h>

#include "common/base/json.h"

double sl_roofline_per_second(const struct sl_peak_row *row)
{
    return (double)(row->turns * row->work * row->workers) / (double)row->ns * 1e9;
}

void sl_roofline_put(const struct sl_peak_row *rows, size_t count, struct sl_json *json)
{
    sl_json_open_array(json, "roofline");
    for (size_t i = 0; i < count; i++) {
        const struct sl_peak_row *row = &rows[i];
        double rate = sl_roofline_per_second(row);
        sl_json_open_object(json, NULL);
        sl_json_text(json, "peak", row->peak);
        sl_json_text(json, "what", row->what);
        sl_json_text(json, "kind", row->kind);
        sl_json_u64(json, "workers", row->workers);
        sl_json_u64(json, "ns", row->ns);
        sl_json_f64(json, "per_second", rate);
        sl_json_f64(json, "multiply_adds_per_second",
                    strcmp(row->kind, "mode") == 0 ? 0 : rate * (double)row->operations);
        sl_json_f64(json, "bytes_per_second", rate * (double)row->bytes);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
