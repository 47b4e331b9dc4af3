/* agent/trace/drain.h: takes records out of a ring, seals them with CRC records and appends them
 * to an .sltrace file.
 *
 * Drained records can be read even if the process then dies: every drain ends with a seal. Either
 * the owner calls sl_drain_now(), or a thread does between sl_drain_start() and sl_drain_stop();
 * never both at once. */
#pragma once

#include <stdint.h>

struct sl_drain;
struct sl_ring;

/* Borrows both; `fd` is written from where it stands, which must be the start of the stream. */
int sl_drain_new(struct sl_ring *ring, int fd, struct sl_drain **out);
void sl_drain_free(struct sl_drain *drain); /* after sl_drain_stop(); NULL is a no-op */

/* Appends all that the ring holds now. 0 or the first failure since creation: after one the ring
 * is still emptied, so that the measured side does not wait for ever, but nothing is written. */
int sl_drain_now(struct sl_drain *drain);

/* A thread that drains whenever sl_ring_wake() is called, and sleeps otherwise: the caller decides
 * how much may be lost if the process dies. -errno when there can be none. */
int sl_drain_start(struct sl_drain *drain);
/* Ends the thread, if any, after a last drain. As sl_drain_now(). */
int sl_drain_stop(struct sl_drain *drain);

/* Length of the stream so far; of the file, unless a write failed. Thread stopped. */
uint64_t sl_drain_bytes(const struct sl_drain *drain);
