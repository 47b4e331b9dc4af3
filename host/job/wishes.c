/* host/job/wishes.c */
#include "host/job/wishes.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/store/store.h"

enum { AGAIN_MS = 1000 };

struct sl_wish {
    struct sl_wish *next; /* of those that are kept */
    struct sl_wishes *of;
    uint64_t job, group;
};

static void ask(struct sl_wish *wish);

static void on_again(uv_timer_t *timer)
{
    struct sl_wishes *wishes = timer->data;
    struct sl_wish *wish = wishes->kept;
    wishes->kept = NULL;
    while (wish) {
        struct sl_wish *next = wish->next;
        ask(wish);
        wish = next;
    }
}

static void keep(struct sl_wish *wish, int rc)
{
    struct sl_wishes *wishes = wish->of;
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("cancel_not_passed_on"), SL_LOG_JOB(wish->job),
           SL_LOG_NUMBER("group", wish->group), SL_LOG_REASON(sl_strerror(rc)));
    wish->next = wishes->kept;
    wishes->kept = wish;
    uv_timer_start(&wishes->again, on_again, AGAIN_MS, 0);
}

static void on_answer(void *user, int rc)
{
    struct sl_wish *wish = user;
    struct sl_wishes *wishes = wish->of;
    wishes->with_store--;
    if (rc < 0 && !wishes->closing)
        keep(wish, rc);
    else
        sl_free(wish);
    wishes->answered(wishes->user); /* last: it may free the wishes */
}

static void ask(struct sl_wish *wish)
{
    int rc = sl_store_want_cancel(wish->of->store, wish->job, wish->group, on_answer, wish);
    if (rc < 0)
        keep(wish, rc);
    else
        wish->of->with_store++;
}

void sl_wishes_init(struct sl_wishes *wishes, uv_loop_t *loop, struct sl_store *store,
                    void (*answered)(void *user), void *user)
{
    *wishes = (struct sl_wishes){.store = store, .answered = answered, .user = user, .open = true};
    uv_timer_init(loop, &wishes->again); /* cannot fail */
    wishes->again.data = wishes;
}

int sl_wishes_add(struct sl_wishes *wishes, uint64_t job, uint64_t group)
{
    struct sl_wish *wish = wishes->closing ? NULL : sl_calloc(1, sizeof(*wish));
    if (!wish)
        return wishes->closing ? SL_E_STATE : -ENOMEM;
    *wish = (struct sl_wish){.of = wishes, .job = job, .group = group};
    ask(wish);
    return 0;
}

bool sl_wishes_busy(const struct sl_wishes *wishes)
{
    return wishes->open || wishes->with_store > 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_wishes *wishes = handle->data;
    for (struct sl_wish *next; wishes->kept; wishes->kept = next) {
        next = wishes->kept->next;
        sl_free(wishes->kept);
    }
    wishes->open = false;
    wishes->answered(wishes->user); /* last */
}

void sl_wishes_close(struct sl_wishes *wishes)
{
    wishes->closing = true;
    uv_close((uv_handle_t *)&wishes->again, on_closed);
}
