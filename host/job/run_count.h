/* host/job/run_count.h: what the emulator's log has counted so far, into a run's progress. */
#pragma once

struct sl_count_reader;
struct sl_run_progress;

/* On the loop's thread, while the reader reads. */
void sl_run_count_look(struct sl_count_reader *reader, struct sl_run_progress *progress);
