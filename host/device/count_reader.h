/* host/device/count_reader.h: reads the emulator's log from a FIFO on a thread of its own, as fast
 * as it comes, into a count_log. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_count_log;
struct sl_count_reader;
struct sl_device;
struct sl_diag;

/* Makes the FIFO (what stood there is removed), opens it and starts the thread. `device` (counted)
 * has the agent whose marks are counted. 0 or a negative code with `diag` set. */
int sl_count_reader_start(const struct sl_device *device, const char *fifo,
                          struct sl_count_reader **out, struct sl_diag *diag);

/* While it reads: what was executed so far; and what two spans of marks, begin and end of each,
 * came to: ask() is passed over while a question is open, answer() is true once both have come. */
uint64_t sl_count_reader_counted(struct sl_count_reader *reader);
void sl_count_reader_ask(struct sl_count_reader *reader, const uint64_t marks[4]);
bool sl_count_reader_answer(struct sl_count_reader *reader, uint64_t out_spans[2]);

/* The writer has ended: reads what is left, waits for the thread and removes the FIFO. `whole`: a
 * log that breaks off inside a line is a failure. The log is borrowed from the reader. Blocks; call
 * it once, off the loop. */
int sl_count_reader_finish(struct sl_count_reader *reader, int whole, struct sl_count_log **out,
                           struct sl_diag *diag);

/* Ends the thread if finish() did not; NULL is a no-op. */
void sl_count_reader_free(struct sl_count_reader *reader);
