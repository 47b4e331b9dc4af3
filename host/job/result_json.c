/* host/job/result_json.c */
#include "host/job/result_json.h"

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "host/device/link.h"

enum { MAX_BYTES = 16 << 10, PATH_BYTES = 1100 };

const char *sl_result_outcome_name(int outcome)
{
    static const char *const names[] = {"unknown",   "done",      "failed",      "crashed",
                                        "timed-out", "cancelled", "not-started", "lost"};
    return outcome >= 0 && outcome < (int)(sizeof(names) / sizeof(names[0])) ? names[outcome]
                                                                             : names[0];
}

static void put_text(struct sl_json *json, const char *key, const char *value)
{
    sl_json_text(json, key, value[0] ? value : NULL);
}

/* A process that ended badly left a trace that breaks off: its length says where. */
void sl_result_json_put(struct sl_json *json, const char *key, const struct sl_link_result *result)
{
    static const char *const streams[SL_LINK_STREAMS] = {"trace_bytes", "log_bytes", "output_bytes",
                                                         "files_bytes"};
    sl_json_open_object(json, key);
    sl_json_text(json, "outcome", sl_result_outcome_name(result->outcome));
    sl_json_i64(json, "exit_code", result->exit_code);
    sl_json_u64(json, "signal", result->signal);
    put_text(json, "last_operator", result->last_operator);
    put_text(json, "detail", result->detail);
    sl_json_bool(json, "trace_complete",
                 result->outcome == SL_OUTCOME_DONE && result->dropped_bytes == 0);
    sl_json_u64(json, "dropped_bytes", result->dropped_bytes);
    sl_json_bool(json, "storage_failed", result->storage_failed);
    for (int i = 0; i < SL_LINK_STREAMS; i++)
        sl_json_u64(json, streams[i], result->stream_bytes[i]);
    sl_json_close_object(json);
}

int sl_result_json_write(const char *directory, uint32_t attempt,
                         const struct sl_link_result *measured,
                         const struct sl_link_result *reference)
{
    char path[PATH_BYTES];
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.result/1");
    sl_json_u64(&json, "attempt", attempt);
    sl_result_json_put(&json, "measured", measured);
    if (reference)
        sl_result_json_put(&json, "reference", reference);
    else
        sl_json_null(&json, "reference");
    sl_json_close_object(&json);
    sl_path_join(path, sizeof(path), directory, "result.json");
    int rc = json.error < 0 ? json.error : sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc;
}
