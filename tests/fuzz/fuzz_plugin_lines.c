/* tests/fuzz/fuzz_plugin_lines.c: what a plug-in writes: bytes in pieces, lines, figures of a run.
 */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/plugin/line.h"
#include "host/plugin/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_line(void *user, struct sl_bytes bytes, bool whole)
{
    struct sl_plugin_record *record = user;
    struct sl_plugin_line line;
    struct sl_diag diag = {.what = ""};
    int rc = whole ? sl_plugin_line_read(bytes, &line, &diag) : SL_E_LIMIT;
    if (rc == 0 && line.said == SL_PLUGIN_METRIC)
        rc = sl_plugin_record_take(record, &line, 1000000, &diag);
    if (rc == SL_E_FORMAT && !diag.what[0])
        abort(); /* a refusal says why */
    if (rc < 0)
        sl_plugin_record_fail(record, SL_PLUGIN_BAD_LINE, diag.what, 1000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_plugin_lines lines;
    struct sl_plugin_record record;
    struct sl_buf text;
    size_t step = size > 0 ? 1 + data[0] : 1;
    lines = (struct sl_plugin_lines){.size = 0};
    sl_plugin_record_init(&record, "fuzz", 1000000);
    for (size_t at = 1; at < size; at += step)
        sl_plugin_lines_take(&lines, (const char *)data + at, size - at < step ? size - at : step,
                             on_line, &record);
    sl_buf_init(&text, 64 << 20);
    if (sl_plugin_records_put(&text, &record, 1, false, NULL) < 0)
        abort();
    sl_buf_fini(&text);
    sl_plugin_record_fini(&record);
    return 0;
}
