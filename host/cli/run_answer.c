/* host/cli/run_answer.c */
#include "host/cli/run_answer.h"

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "host/cli/exit_code.h"
#include "host/spec/plan.h"

#define MAX_JSON_BYTES ((size_t)1 << 29)

void sl_cli_run_answer_init(struct sl_cli_run_answer *answer, const struct sl_plan *plan)
{
    answer->plan = plan;
    for (int i = 0; i < 2; i++)
        sl_buf_init(&answer->results[i], MAX_JSON_BYTES);
    sl_buf_init(&answer->together, MAX_JSON_BYTES);
}

void sl_cli_run_answer_fini(struct sl_cli_run_answer *answer)
{
    for (int i = 0; i < 2; i++)
        sl_buf_fini(&answer->results[i]);
    sl_buf_fini(&answer->together);
}

struct sl_buf *sl_cli_run_answer_next(struct sl_cli_run_answer *answer, size_t index)
{
    bool beside = sl_plan_is_of_both(answer->plan) && !sl_plan_shares(answer->plan, index);
    struct sl_buf *list = &answer->results[beside];
    if (list->size > 0)
        sl_buf_append(list, ",", 1);
    return list;
}

void sl_cli_run_answer_fail(struct sl_cli_run_answer *answer, size_t index, int code,
                            const struct sl_diag *diag)
{
    struct sl_json json;
    sl_json_init(&json, sl_cli_run_answer_next(answer, index));
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.run/1");
    sl_json_text(&json, "model", answer->plan->specs[index].model);
    sl_json_text(&json, "experiment", answer->plan->specs[index].name);
    sl_json_i64(&json, "exit_code", code);
    sl_json_open_object(&json, "error");
    sl_json_text(&json, "code", sl_exit_name(code));
    sl_json_text(&json, "message", diag->what);
    sl_json_text(&json, "where", diag->where[0] ? diag->where : NULL);
    sl_json_text(&json, "hint", diag->hint[0] ? diag->hint : NULL);
    sl_json_close_object(&json);
    sl_json_close_object(&json);
}

/* An object without its last brace, for members to follow. */
static int put_open(struct sl_buf *out, const struct sl_buf *object)
{
    return sl_buf_append(out, object->data, object->size - 1);
}

static int put_both(const struct sl_cli_run_answer *answer, struct sl_buf *out)
{
    const struct sl_buf *theirs = &answer->results[0], *ours = &answer->results[1];
    const struct sl_buf *together = &answer->together;
    static const char bare[] = "{\"schema\":\"sme2lab.run/1\""; /* of ours there is nothing */
    int rc = ours->size > 0 ? put_open(out, ours) : sl_buf_printf(out, "%s", bare);
    if (rc == 0)
        rc = sl_buf_printf(out, ",\"runtimes\":[");
    if (rc == 0)
        rc = sl_buf_append(out, theirs->data, theirs->size);
    if (rc == 0)
        rc = sl_buf_append(out, ",", theirs->size > 0 && ours->size > 0);
    if (rc == 0)
        rc = sl_buf_append(out, ours->data, ours->size);
    if (rc == 0)
        rc = sl_buf_append(out, "]", 1);
    if (rc == 0 && together->size > 2) { /* its members, without the braces */
        rc = sl_buf_append(out, ",", 1);
        rc = rc < 0 ? rc : sl_buf_append(out, together->data + 1, together->size - 2);
    }
    return rc < 0 ? rc : sl_buf_append(out, "}", 1);
}

int sl_cli_run_answer_put(const struct sl_cli_run_answer *answer, struct sl_buf *out)
{
    bool both = sl_plan_is_of_both(answer->plan), array = answer->plan->count > 1;
    if (answer->results[0].size + answer->results[1].size == 0)
        return 0;
    if (both)
        return put_both(answer, out);
    int rc = sl_buf_append(out, "[", array);
    if (rc == 0)
        rc = sl_buf_append(out, answer->results[0].data, answer->results[0].size);
    return rc < 0 ? rc : sl_buf_append(out, "]", array);
}
