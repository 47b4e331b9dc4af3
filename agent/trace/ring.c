/* agent/trace/ring.c */
#include "agent/trace/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/trace/memory_file.h"
#include "agent/trace/shared.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"

#define RING_MAGIC UINT64_C(0x31474e49524c53) /* "SLRING1" */

/* Start of the mapping. The two counters count records since creation and never wrap in practice;
 * each has a cache line of its own, so neither side's stores slow the other's loads. */
struct ring_head {
    uint64_t magic;
    uint64_t capacity; /* slots */
    _Alignas(64) _Atomic uint64_t pushed;
    _Atomic uint32_t current; /* the producer's too: it has the line anyway */
    _Alignas(64) _Atomic uint64_t popped;
    _Atomic uint64_t allowed; /* the consumer's too: twice the pairs, and 1 if they are the last */
    _Atomic uint32_t rung;    /* how often the producer called; the consumer sleeps on it */
    _Atomic uint32_t asleep;  /* the consumer does, or is about to */
};
_Static_assert(sizeof(struct ring_head) == 192, "slots start on a cache line");
_Static_assert(sizeof(_Atomic uint64_t) == 8, "the counters are shared between processes");

struct sl_ring {
    struct ring_head *head; /* the mapping */
    struct sl_trace_record *slots;
    size_t mapped_bytes;
    size_t capacity; /* own copy: the other side cannot change it */
    int fd;
    bool owns_fd;
    /* Each side's own counter, and what it last saw of the other's. One process may be both sides
     * in two threads. */
    _Alignas(64) uint64_t push_at, seen_popped;
    _Alignas(64) uint64_t pop_at;
    uint32_t heard; /* what `rung` was when the consumer woke last */
};

static size_t bytes_for(size_t records)
{
    return sizeof(struct ring_head) + records * sizeof(struct sl_trace_record);
}

static bool capacity_ok(uint64_t records)
{
    return records != 0 && (records & (records - 1)) == 0 &&
           records <= (SL_RING_MAX_BYTES - sizeof(struct ring_head)) / SL_TRACE_RECORD_BYTES;
}

static int map(struct sl_ring *ring, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (at == MAP_FAILED)
        return -errno;
    ring->head = at;
    ring->slots = (struct sl_trace_record *)(void *)(ring->head + 1);
    ring->mapped_bytes = bytes;
    return 0;
}

static struct sl_ring *allocate(void)
{
    struct sl_ring *ring = sl_aligned_alloc(64, sizeof(*ring));
    if (ring) {
        memset(ring, 0, sizeof(*ring));
        ring->fd = -1;
    }
    return ring;
}

int sl_ring_new(size_t records, struct sl_ring **out)
{
    int rc;
    if (!capacity_ok(records))
        return -EINVAL;
    struct sl_ring *ring = allocate();
    if (!ring)
        return -ENOMEM;
    ring->capacity = records;
    ring->owns_fd = true;
    rc = ring->fd = sl_memory_file_open("sme2lab-ring");
    if (rc < 0)
        goto fail;
    if (ftruncate(ring->fd, (off_t)bytes_for(records)) < 0) {
        rc = -errno;
        goto fail;
    }
    sl_shared_file_seal(ring->fd);
    rc = map(ring, bytes_for(records));
    if (rc < 0)
        goto fail;
    ring->head->magic = RING_MAGIC;
    ring->head->capacity = records;
    *out = ring;
    return 0;
fail:
    sl_ring_free(ring);
    return rc;
}

/* Checks what the mapping says of itself and takes up both counters. */
static int adopt(struct sl_ring *ring)
{
    uint64_t capacity = ring->head->capacity;
    if (ring->head->magic != RING_MAGIC || !capacity_ok(capacity) ||
        bytes_for((size_t)capacity) > ring->mapped_bytes)
        return SL_E_FORMAT;
    uint64_t popped = atomic_load_explicit(&ring->head->popped, memory_order_acquire);
    uint64_t pushed = atomic_load_explicit(&ring->head->pushed, memory_order_acquire);
    if (pushed - popped > capacity)
        return SL_E_FORMAT;
    ring->capacity = (size_t)capacity;
    ring->push_at = pushed;
    ring->seen_popped = ring->pop_at = popped;
    ring->heard = atomic_load(&ring->head->rung);
    return 0;
}

int sl_ring_open(int fd, struct sl_ring **out)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return -errno;
    if (info.st_size < (off_t)bytes_for(1) || info.st_size > SL_RING_MAX_BYTES)
        return SL_E_FORMAT;
    struct sl_ring *ring = allocate();
    if (!ring)
        return -ENOMEM;
    ring->fd = fd;
    int rc = map(ring, (size_t)info.st_size);
    if (rc == 0)
        rc = adopt(ring);
    if (rc < 0)
        sl_ring_free(ring);
    else
        *out = ring;
    return rc;
}

void sl_ring_free(struct sl_ring *ring)
{
    if (!ring)
        return;
    if (ring->head)
        munmap(ring->head, ring->mapped_bytes);
    if (ring->owns_fd && ring->fd >= 0)
        close(ring->fd);
    sl_free(ring);
}

int sl_ring_fd(const struct sl_ring *ring)
{
    return ring->fd;
}

size_t sl_ring_capacity(const struct sl_ring *ring)
{
    return ring->capacity;
}

size_t sl_ring_room(const struct sl_ring *ring)
{
    uint64_t popped = atomic_load_explicit(&ring->head->popped, memory_order_acquire);
    uint64_t used = ring->push_at - popped;
    return used <= ring->capacity ? ring->capacity - (size_t)used : 0;
}

struct sl_trace_record *sl_ring_slot(struct sl_ring *ring)
{
    /* The other side's line is read only when what it said last no longer suffices. */
    if (ring->push_at - ring->seen_popped >= ring->capacity) {
        uint64_t popped = atomic_load_explicit(&ring->head->popped, memory_order_acquire);
        if (ring->push_at - popped >= ring->capacity) /* full, or an impossible counter */
            return NULL;
        ring->seen_popped = popped;
    }
    return &ring->slots[ring->push_at & (ring->capacity - 1)];
}

void sl_ring_push(struct sl_ring *ring)
{
    ring->push_at++;
    atomic_store_explicit(&ring->head->pushed, ring->push_at, memory_order_release);
}

void sl_ring_set_current(struct sl_ring *ring, uint32_t name)
{
    atomic_store_explicit(&ring->head->current, name, memory_order_relaxed);
}

uint32_t sl_ring_current(const struct sl_ring *ring)
{
    return atomic_load_explicit(&ring->head->current, memory_order_relaxed);
}

struct sl_ring_allowance sl_ring_allowed(const struct sl_ring *ring)
{
    uint64_t allowed = atomic_load_explicit(&ring->head->allowed, memory_order_acquire);
    return (struct sl_ring_allowance){allowed >> 1, allowed & 1};
}

void sl_ring_allow(struct sl_ring *ring, struct sl_ring_allowance allowance)
{
    atomic_store_explicit(&ring->head->allowed, allowance.pairs << 1 | allowance.last,
                          memory_order_release);
}

/* Each side tells before it looks, so a call is never slept through. */
void sl_ring_wait(struct sl_ring *ring)
{
    struct ring_head *head = ring->head;
    uint32_t rung;
    atomic_store(&head->asleep, 1);
    while ((rung = atomic_load(&head->rung)) == ring->heard)
        sl_shared_sleep(&head->rung, rung);
    atomic_store(&head->asleep, 0);
    ring->heard = rung;
}

void sl_ring_wake(struct sl_ring *ring)
{
    atomic_fetch_add(&ring->head->rung, 1);
    if (atomic_load(&ring->head->asleep) != 0)
        sl_shared_wake(&ring->head->rung);
}

long sl_ring_pop(struct sl_ring *ring, struct sl_trace_record *out, size_t max)
{
    uint64_t pushed = atomic_load_explicit(&ring->head->pushed, memory_order_acquire);
    uint64_t ready = pushed - ring->pop_at;
    if (ready > ring->capacity)
        return SL_E_FORMAT;
    size_t count = ready < max ? (size_t)ready : max;
    size_t first = (size_t)(ring->pop_at & (ring->capacity - 1));
    size_t before_end = ring->capacity - first < count ? ring->capacity - first : count;
    memcpy(out, ring->slots + first, before_end * sizeof(*out));
    memcpy(out + before_end, ring->slots, (count - before_end) * sizeof(*out));
    ring->pop_at += count;
    atomic_store_explicit(&ring->head->popped, ring->pop_at, memory_order_release);
    return (long)count;
}
