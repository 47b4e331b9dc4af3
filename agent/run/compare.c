/* agent/run/compare.c */
#include "agent/run/compare.h"

#include <errno.h>
#include <math.h>

#include "agent/run/etlog.h"
#include "agent/run/feed.h"
#include "agent/run/session.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/lockstep.h"
#include "agent/runtime/runtime.h"
#include "common/base/json.h"
#include "common/base/mem.h"

struct sl_agent_run_compared {
    bool done;
    struct sl_method *methods[SL_LOCKSTEP_VARIANTS];
    struct sl_lockstep_side sides[SL_LOCKSTEP_VARIANTS];
};

_Static_assert((int)SL_AGENT_RUN_MAX_VARIANTS == (int)SL_LOCKSTEP_VARIANTS, "each is compared");

void sl_compare_free(struct sl_agent_run_compared *compared)
{
    for (size_t i = 0; compared && i < SL_LOCKSTEP_VARIANTS; i++) {
        sl_variant_free(compared->sides[i].variant);
        sl_method_free(compared->methods[i]);
    }
    sl_free(compared);
}

/* A method of its own for each variant: all are in use at once. */
static int load(struct sl_session *session, struct sl_agent_run_compared *compared)
{
    int rc = 0;
    for (size_t i = 0; i < session->options.compared_count && rc == 0; i++) {
        rc = sl_method_new(session->model, session->method_name, &compared->methods[i],
                           &session->diag);
        if (rc != 0)
            return rc;
        sl_method_set_workers(compared->methods[i], session->workers);
        rc = sl_session_keep_out(session, compared->methods[i]);
        if (rc != 0)
            return rc;
        rc = sl_variant_new(compared->methods[i], session->options.compared[i].isa, (uint16_t)i,
                            NULL, &compared->sides[i].variant, &session->diag);
    }
    return rc;
}

static int execute(struct sl_session *session, struct sl_agent_run_compared *compared)
{
    sl_watchdog_kick(session->watchdog, "Comparing operators");
    int rc = load(session, compared);
    if (rc != 0)
        return rc;
    sl_method_reset(session->method);
    if (sl_feed_inputs(session))
        return SL_ET_INVALID_ARGUMENT;
    return sl_lockstep_execute(session->variant[0].plan, compared->sides,
                               session->options.compared_count, &session->diag);
}

void sl_compare_operators(struct sl_session *session)
{
    if (session->options.compared_count == 0)
        return;
    session->compared = sl_calloc(1, sizeof(*session->compared));
    int rc = session->compared ? execute(session, session->compared) : -ENOMEM;
    if (rc == 0) {
        session->compared->done = true;
        return;
    }
    sl_session_log_diag(session);
    SL_ETLOG('E', "Operators cannot be compared one by one: %s", sl_strerror(rc));
}

static void put_row(const struct sl_lockstep_row *row, struct sl_json *json)
{
    static const char *const kinds[SL_LOCKSTEP_KINDS] = {
        [SL_LOCKSTEP_FLOAT] = "float",     [SL_LOCKSTEP_HALF] = "half",
        [SL_LOCKSTEP_ROUNDED] = "rounded", [SL_LOCKSTEP_STEPS] = "steps",
        [SL_LOCKSTEP_EXACT] = "exact",
    };
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", row->name);
    sl_json_u64(json, "chain", row->chain);
    sl_json_u64(json, "instruction", row->instruction);
    if (row->node < 0)
        sl_json_null(json, "node");
    else
        sl_json_i64(json, "node", row->node);
    sl_json_text(json, "kernel", row->kernel);
    sl_json_text(json, "reference", row->reference);
    sl_json_text(json, "kind", kinds[row->kind]);
    sl_json_f64(json, "distance", row->distance); /* null: infinite */
    sl_json_f64(json, "max_abs", row->max_abs);
    sl_json_close_object(json);
}

void sl_compare_put(const struct sl_session *session, struct sl_json *json)
{
    const struct sl_agent_run_compared *compared = session->compared;
    if (!compared || !compared->done) {
        sl_json_null(json, "operators");
        return;
    }
    sl_json_open_array(json, "operators");
    for (size_t i = 0; i < session->options.compared_count; i++) {
        const struct sl_lockstep_side *side = &compared->sides[i];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "variant", session->options.compared[i].name);
        sl_json_u64(json, "compared", side->compared);
        sl_json_open_array(json, "farther");
        for (size_t k = 0; k < side->row_count; k++)
            put_row(&side->rows[k], json);
        sl_json_close_array(json);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
