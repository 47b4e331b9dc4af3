/* agent/run/server_mode.h: --server_mode: one inference for each line on stdin. */
#pragma once

struct sl_session;

/* Executes until stdin ends; inputs are read again each time, outputs written each time. 0, or a
 * negative code after it logged why. */
int sl_server_mode(struct sl_session *session);
