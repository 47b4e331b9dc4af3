/* host/device/count_reader.h: reads the emulator's log from a FIFO on a thread of its own, as fast
 * as it comes, into a count_log. */
#pragma once

struct sl_count_log;
struct sl_count_reader;
struct sl_device;
struct sl_diag;

/* Makes the FIFO (what stood there is removed), opens it and starts the thread. `device` (COUNTED)
 * has the agent whose marks are counted. 0 or a negative code with `diag` set. */
int sl_count_reader_start(const struct sl_device *device, const char *fifo,
                          struct sl_count_reader **out, struct sl_diag *diag);

/* The writer has ended: reads what is left, waits for the thread and removes the FIFO. `whole`: a
 * log that breaks off inside a line is a failure. The log is borrowed from the reader. Blocks; call
 * it once, off the loop. */
int sl_count_reader_finish(struct sl_count_reader *reader, int whole, struct sl_count_log **out,
                           struct sl_diag *diag);

/* Ends the thread if finish() did not; NULL is a no-op. */
void sl_count_reader_free(struct sl_count_reader *reader);
