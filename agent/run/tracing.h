/* agent/run/tracing.h: a run's trace: the facts it begins with and the ETDumps made of it. */
#pragma once

struct sl_session;

/* Opens the trace and records what the run is. Returns 0, or a negative code after it logged why.
 */
int sl_tracing_open(struct sl_session *session);

/* Ends the trace and writes the ETDumps, unless the parent makes them. Returns 0, or a negative
 * code after it logged why. */
int sl_tracing_close(struct sl_session *session);
