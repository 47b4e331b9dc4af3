/* host/job/claims.c */
#include "host/job/claims.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/records.h"
#include "host/store/store.h"

enum { AGAIN_MS = 1000 };

struct sl_claim {
    struct sl_claim *next;
    struct sl_claims *of;
    struct sl_job_record job;
    bool asked; /* the store has it */
    int said;   /* the failure that the log has */
};

static void ask(struct sl_claim *claim);

static void take_out(struct sl_claim *claim)
{
    struct sl_claim **at = &claim->of->all;
    while (*at != claim)
        at = &(*at)->next;
    *at = claim->next;
}

/* A claim that the store has is freed with its answer. */
static void free_all(struct sl_claims *claims)
{
    for (struct sl_claim **at = &claims->all; *at;) {
        struct sl_claim *claim = *at;
        if (claim->asked) {
            at = &claim->next;
            continue;
        }
        *at = claim->next;
        sl_free(claim);
    }
}

/* Once a second while there are claims. */
static void on_again(uv_timer_t *timer)
{
    struct sl_claims *claims = timer->data;
    for (struct sl_claim *claim = claims->all, *next; claim; claim = next) {
        next = claim->next;
        claims->events.waits(claims->user, claim->job.id, claim->job.device);
        if (!claim->asked)
            ask(claim);
    }
    if (claims->all)
        uv_timer_start(timer, on_again, AGAIN_MS, 0);
}

/* A store may fail for hours: a failure is said again only after another one, and not each second.
 */
static void keep(struct sl_claim *claim, int rc)
{
    if (rc != claim->said)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("job_not_claimed"), SL_LOG_JOB(claim->job.id),
               SL_LOG_REASON(sl_strerror(rc)));
    claim->said = rc;
    claim->asked = false;
}

static void on_answer(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct sl_claim *claim = user;
    struct sl_claims *claims = claim->of;
    claims->with_store--;
    if (rc < 0 && rc != SL_E_MISMATCH && rc != SL_E_NOT_FOUND && !claims->closing) {
        keep(claim, rc);
    } else {
        take_out(claim);
        if (rc == 0 && !claims->closing)
            claims->events.claimed(claims->user, job, config_json);
        else if (!claims->closing)
            claims->events.lost(claims->user, claim->job.id, claim->job.device);
        sl_free(claim);
    }
    claims->events.answered(claims->user); /* last: it may free the claims */
}

static void ask(struct sl_claim *claim)
{
    int rc = sl_store_claim_job(claim->of->store, &claim->job, on_answer, claim);
    if (rc < 0) {
        keep(claim, rc);
        return;
    }
    claim->asked = true;
    claim->of->with_store++;
}

void sl_claims_init(struct sl_claims *claims, uv_loop_t *loop, struct sl_store *store,
                    const struct sl_claims_events *events, void *user)
{
    *claims = (struct sl_claims){.store = store, .events = *events, .user = user, .open = true};
    uv_timer_init(loop, &claims->retry); /* cannot fail */
    claims->retry.data = claims;
}

int sl_claims_make(struct sl_claims *claims, const struct sl_job_record *job)
{
    struct sl_claim *claim = sl_calloc(1, sizeof(*claim));
    if (!claim)
        return -ENOMEM;
    *claim = (struct sl_claim){.next = claims->all, .of = claims, .job = *job};
    claims->all = claim;
    if (!uv_is_active((uv_handle_t *)&claims->retry))
        uv_timer_start(&claims->retry, on_again, AGAIN_MS, 0);
    ask(claim);
    return 0;
}

bool sl_claims_has(const struct sl_claims *claims, uint64_t job)
{
    const struct sl_claim *claim = claims->all;
    while (claim && claim->job.id != job)
        claim = claim->next;
    return claim != NULL;
}

bool sl_claims_busy(const struct sl_claims *claims)
{
    return claims->open || claims->with_store > 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_claims *claims = handle->data;
    claims->open = false;
    claims->events.answered(claims->user); /* last */
}

void sl_claims_close(struct sl_claims *claims)
{
    claims->closing = true;
    free_all(claims);
    uv_close((uv_handle_t *)&claims->retry, on_closed);
}
