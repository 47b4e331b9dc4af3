/* tests/fuzz/fuzz_plugin_file.c: plugins.json of a run directory. */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/rundir/plugin_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sl_plugin_file file;
    static struct sl_plugin_turn list[] = {{0, 100000, 0}, {100000, 3000000, 1}};
    static const struct sl_plugin_turns turns = {list, 2, true};
    struct sl_diag diag = {.what = ""};
    struct sl_buf text;
    struct sl_json json;
    int rc =
        sl_plugin_file_read((struct sl_bytes){data, size}, "plugins.json", &turns, &file, &diag);
    if (rc < 0 && (!diag.what[0] || file.count != 0))
        abort(); /* a refusal says why, and leaves nothing */
    sl_buf_init(&text, 1 << 20);
    sl_json_init(&json, &text);
    if (rc == 0)
        sl_plugin_file_put(&json, NULL, &file, true);
    if (json.error < 0)
        abort();
    sl_buf_fini(&text);
    return 0;
}
