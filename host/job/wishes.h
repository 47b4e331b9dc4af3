/* host/job/wishes.h: wishes to cancel jobs that other hosts have, asked of the store until it has
 * them down: who wished has been told that they are. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

struct sl_store;
struct sl_wish;

/* Read only. */
struct sl_wishes {
    struct sl_store *store; /* borrowed */
    void (*answered)(void *user);
    void *user;
    uv_timer_t again;
    struct sl_wish *kept; /* owned: to be asked again */
    unsigned with_store;
    bool open, closing;
};

/* `answered` after each answer of the store, and after the close. */
void sl_wishes_init(struct sl_wishes *wishes, uv_loop_t *loop, struct sl_store *store,
                    void (*answered)(void *user), void *user);
/* The job, or every open one of the group (0: none), is to be cancelled. 0, -ENOMEM, or SL_E_STATE
 * after the close. */
int sl_wishes_add(struct sl_wishes *wishes, uint64_t job, uint64_t group);
/* True until it is closed and everything has been answered. */
bool sl_wishes_busy(const struct sl_wishes *wishes);
void sl_wishes_close(struct sl_wishes *wishes);
