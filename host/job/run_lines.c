/* host/job/run_lines.c */
#include "host/job/run_lines.h"

#include "common/base/buf.h"
#include "common/base/json.h"

enum { JSON_BYTES = 511 }; /* of an event */

void sl_job_run_lines_init(struct sl_job_run_lines *lines, bool reference,
                           void (*tell)(void *user, const char *type, const char *json), void *user)
{
    *lines = (struct sl_job_run_lines){
        .part = reference ? "reference" : "measured", .tell = tell, .user = user};
}

/* Returns false where the escaped line does not fit. */
static bool put(const struct sl_job_run_lines *lines, struct sl_buf *text)
{
    struct sl_json json;
    sl_json_init(&json, text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "part", lines->part);
    sl_json_text(&json, "line", lines->line);
    if (lines->cut)
        sl_json_bool(&json, "cut", true);
    if (lines->left_out > 0)
        sl_json_u64(&json, "left_out", lines->left_out);
    sl_json_close_object(&json);
    return json.error == 0;
}

static void tell_line(struct sl_job_run_lines *lines)
{
    struct sl_buf text;
    bool fits = false;
    for (; !fits && lines->len > 0; lines->cut = lines->cut || !fits) {
        lines->line[lines->len] = '\0';
        sl_buf_init(&text, JSON_BYTES);
        fits = put(lines, &text);
        if (fits)
            lines->tell(lines->user, "log", (const char *)text.data);
        sl_buf_fini(&text);
        lines->len /= 2;
    }
    lines->left_out = 0;
}

static void end_line(struct sl_job_run_lines *lines, uint64_t now_ms)
{
    if (lines->second != now_ms / 1000)
        lines->told = 0;
    lines->second = now_ms / 1000;
    if (lines->len > 0 && !lines->torn && lines->told < SL_JOB_RUN_LINES_A_SECOND) {
        lines->told++;
        tell_line(lines);
    } else if (lines->len > 0) {
        lines->left_out++;
    }
    lines->len = 0;
    lines->cut = lines->torn = false;
}

void sl_job_run_lines_take(struct sl_job_run_lines *lines, uint64_t offset, const uint8_t *bytes,
                           size_t len, uint64_t now_ms)
{
    if (offset > lines->offset) {
        lines->offset = offset;
        lines->torn = true;
    }
    for (uint64_t i = lines->offset - offset; i < len; i++) {
        lines->offset++;
        if (bytes[i] == '\n')
            end_line(lines, now_ms);
        else if (lines->len + 1 == sizeof(lines->line))
            lines->cut = true;
        else
            lines->line[lines->len++] = bytes[i] < 0x20 || bytes[i] == 0x7f ? ' ' : (char)bytes[i];
    }
}
