/* agent/run/server_mode.c */
#include "agent/run/server_mode.h"

#include <stdbool.h>
#include <stdio.h>

#include "agent/run/etlog.h"
#include "agent/run/feed.h"
#include "agent/run/outputs.h"
#include "agent/run/session.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "common/base/error.h"

/* The words of a line do not matter; a line that the end cuts off counts too. */
static bool next_line(void)
{
    int c = getchar();
    if (c == EOF)
        return false;
    while (c != '\n' && c != EOF)
        c = getchar();
    return true;
}

static int serve_line(struct sl_session *session)
{
    if (sl_session_read_inputs(session) || sl_feed_inputs(session))
        return SL_E_LOGGED;
    int rc = sl_variant_execute(session->variant[0].plan, false, &session->diag);
    if (rc != 0)
        return sl_session_execution_failed(session, rc);
    if (sl_outputs_keep(session, 0) || sl_outputs_write_files(session, 0, 704))
        return SL_E_LOGGED;
    sl_etlog('I', "executor_runner.cpp", 716, "SERVER MODE DONE");
    return 0;
}

int sl_server_mode(struct sl_session *session)
{
    if (!session->options.output_file[0]) {
        sl_etlog('F', "executor_runner.cpp", 635,
                 "In function main(), assert failed (!FLAGS_output_file.empty()): --output_file "
                 "must be set in --server_mode so outputs can be retrieved.");
        return SL_E_LOGGED;
    }
    sl_etlog('I', "executor_runner.cpp", 636,
             "Running in server mode; waiting for stdin triggers.");
    sl_etlog('I', "executor_runner.cpp", 638,
             "%zu outputs: ", sl_method_output_count(session->method));
    for (;;) {
        sl_watchdog_pause(session->watchdog);
        if (!next_line())
            return 0;
        sl_watchdog_kick(session->watchdog, "An execution");
        if (serve_line(session))
            return SL_E_LOGGED;
    }
}
