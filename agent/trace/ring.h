/* agent/trace/ring.h: bounded queue of trace records between two threads or two processes.
 *
 * Single producer (the measured thread), single consumer (the drainer), acquire and release, no
 * locks; system calls in sl_ring_wait() and sl_ring_wake() alone. The memory is one mapping of at
 * most SL_RING_MAX_BYTES, shareable by file descriptor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_trace_record;
struct sl_ring;

enum { SL_RING_MAX_BYTES = 1 << 20 };

/* Creates a ring of `records` slots (a power of two) in anonymous shared memory (memfd where the
 * kernel has it). 0, -EINVAL or -errno. */
int sl_ring_new(size_t records, struct sl_ring **out);
/* Maps the ring that a parent created; `fd` stays the caller's. Everything read from the mapping is
 * checked. */
int sl_ring_open(int fd, struct sl_ring **out);
void sl_ring_free(struct sl_ring *ring);
int sl_ring_fd(const struct sl_ring *ring);

/* Producer. Room never shrinks but by the producer's own pushes. */
size_t sl_ring_room(const struct sl_ring *ring);
size_t sl_ring_capacity(const struct sl_ring *ring);
/* The next free slot to fill in place, or NULL when full; publish it with sl_ring_push(). */
struct sl_trace_record *sl_ring_slot(struct sl_ring *ring);
void sl_ring_push(struct sl_ring *ring);
/* Leaves a name's id where the other side finds it even if this one dies: of the operator that has
 * begun and not ended, 0 for none. */
void sl_ring_set_current(struct sl_ring *ring, uint32_t name);

/* Calls the consumer, who may sleep: not within a measured window. Any thread of either side. */
void sl_ring_wake(struct sl_ring *ring);

/* The other side's allowance: measured pairs in all; `last`: the run ends with them. */
struct sl_ring_allowance {
    uint64_t pairs;
    bool last;
};
struct sl_ring_allowance sl_ring_allowed(const struct sl_ring *ring);

/* Consumer. Allows the producer so many pairs; nothing is allowed at first. */
void sl_ring_allow(struct sl_ring *ring, struct sl_ring_allowance allowance);
/* Sleeps until sl_ring_wake() was called since it returned last or the ring was opened; records
 * alone wake nobody. One thread at a time, beside which others may pop. */
void sl_ring_wait(struct sl_ring *ring);
/* Copies up to `max` records out and frees their slots; returns how many. SL_E_FORMAT if
 * the other side's counters are impossible. */
long sl_ring_pop(struct sl_ring *ring, struct sl_trace_record *out, size_t max);
/* Returns the name that the producer set last; a hostile producer may leave any number. */
uint32_t sl_ring_current(const struct sl_ring *ring);
