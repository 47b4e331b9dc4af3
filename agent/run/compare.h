/* agent/run/compare.h: each operator once more, also with the kernels of other variants. */
#pragma once

struct sl_json;
struct sl_agent_run_compared;
struct sl_session;

/* Does the comparisons of --compare-with, if it was given. A comparison that cannot be done is
 * logged and does not fail the run. */
void sl_compare_operators(struct sl_session *session);

/* Member "operators" of the result line: null where nothing was compared. */
void sl_compare_put(const struct sl_session *session, struct sl_json *json);
void sl_compare_free(struct sl_agent_run_compared *compared);
