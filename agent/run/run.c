/* agent/run/run.c: the order of a run's steps. */
#include "agent/run/run.h"

#include <errno.h>

#include "agent/run/compare.h"
#include "agent/run/etlog.h"
#include "agent/run/expected.h"
#include "agent/run/load_mode.h"
#include "agent/run/measure.h"
#include "agent/run/outputs.h"
#include "agent/run/result_line.h"
#include "agent/run/server_mode.h"
#include "agent/run/session.h"
#include "agent/run/tracing.h"
#include "agent/run/watchdog.h"
#include "common/base/error.h"
#include "common/base/mem.h"

static int run_steps(struct sl_session *session)
{
    if (sl_session_prepare(session) || sl_tracing_open(session) || sl_session_load(session))
        return SL_E_LOGGED;
    if (session->options.server_mode)
        return sl_server_mode(session);
    if (session->options.load[0])
        return sl_load_mode(session);
    int failed = sl_measure(session);
    sl_watchdog_kick(session->watchdog, "Writing the results");
    if (!failed)
        failed = sl_outputs_write(session);
    /* After a failure the stream gets no END, but sl_session_fini() drains what was recorded. */
    if (!failed)
        failed = sl_tracing_close(session);
    if (!failed)
        failed = sl_expected_verify(session);
    if (!failed)
        sl_compare_operators(session);
    if (!failed && session->options.json)
        failed = sl_result_line_print(session);
    return failed;
}

int sl_agent_run(int argc, char **argv)
{
    int code;
    sl_etlog_start();
    struct sl_session *session = sl_calloc(1, sizeof(*session));
    if (!session) {
        SL_ETLOG('F', "%s", sl_strerror(-ENOMEM));
        return 1;
    }
    session->last_variant = -1;
    session->trace.fd = -1;
    int parsed = sl_agent_run_options_parse(&session->options, argc, argv, stderr, &code);
    if (parsed == SL_AGENT_RUN_GO)
        code = run_steps(session) < 0 ? 1 : 0;
    else if (parsed == SL_AGENT_RUN_STOP)
        code = 1;
    sl_compare_free(session->compared);
    sl_session_fini(session);
    sl_free(session);
    return code;
}
