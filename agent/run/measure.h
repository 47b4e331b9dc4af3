/* agent/run/measure.h: which variant is executed when, how often, and each execution. */
#pragma once

struct sl_session;

/* Executes the warm-ups and the measured executions and keeps the last outputs. Returns 0, or a
 * negative code after it logged why. */
int sl_measure(struct sl_session *session);
