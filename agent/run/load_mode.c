/* agent/run/load_mode.c */
#include "agent/run/load_mode.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/run/etlog.h"
#include "agent/run/feed.h"
#include "agent/run/session.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"

enum { MAX_REPORT_BYTES = 64 << 10 };

/* Nobody writes to stdin: what makes it readable is its end. */
static bool is_over(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;
    return poll(&in, 1, 0) != 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static int write_report(const struct sl_session *session, uint64_t executions, uint64_t ns)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_REPORT_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_u64(&json, "place", session->options.place);
    sl_json_text(&json, "variant", session->variant[0].spec->name);
    sl_json_u64(&json, "threads", session->threads.count);
    sl_json_u64(&json, "executions", executions);
    sl_json_u64(&json, "wall_ns", ns);
    sl_json_open_array(&json, "cpus"); /* its threads': empty where the system chooses */
    for (size_t i = 0; i < session->threads.cpu_count && i < session->threads.count; i++)
        sl_json_u64(&json, NULL, session->threads.cpus[i]);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int rc = json.error;
    if (rc == 0)
        rc = sl_buf_write_file(session->options.load, text.data, text.size);
    sl_buf_fini(&text);
    if (rc < 0)
        SL_ETLOG('E', "%s cannot be written: %s", session->options.load, sl_strerror(rc));
    return rc;
}

int sl_load_mode(struct sl_session *session)
{
    uint64_t executions = 0, start = sl_clock_ns();
    do {
        sl_watchdog_kick(session->watchdog, "An execution");
        if (sl_feed_inputs(session))
            return SL_E_LOGGED;
        int rc = sl_variant_execute(session->variant[0].plan, SL_VARIANT_UNTRACED, &session->diag);
        if (rc != 0)
            return sl_session_execution_failed(session, rc);
        if (executions++ == 0 && write(STDOUT_FILENO, "+", 1) != 1)
            return SL_E_LOGGED;
    } while (!is_over());
    return write_report(session, executions, sl_clock_ns() - start);
}
