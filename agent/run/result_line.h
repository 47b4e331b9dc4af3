/* agent/run/result_line.h: --json: the run's result as one line on stdout. */
#pragma once

struct sl_session;

/* Returns 0, or a negative code after it logged why. */
int sl_result_line_print(const struct sl_session *session);
