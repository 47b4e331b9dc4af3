/* agent/run/load_mode.h: --load: a process that keeps the device busy beside a measured one. */
#pragma once

struct sl_session;

/* Executes until stdin ends, says on stdout when it goes, and writes --load's file. 0, or a
 * negative code after it logged why. */
int sl_load_mode(struct sl_session *session);
