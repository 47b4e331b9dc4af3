/* host/job/run_looks.c */
#include "host/job/run_looks.h"

#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/spec/spec.h"

enum { FIRST_CAPACITY = 64, MAX_PAIRS = 1 << 20 };

void sl_job_run_looks_init(struct sl_job_run_looks *looks, uv_loop_t *loop,
                           const struct sl_job_kit *kit, const struct sl_spec *spec)
{
    *looks = (struct sl_job_run_looks){.loop = loop, .kit = kit, .next = SL_SPEC_FIRST_LOOK};
    looks->request.data = looks;
    if (spec)
        sl_job_run_looks_want(looks, spec);
}

void sl_job_run_looks_want(struct sl_job_run_looks *looks, const struct sl_spec *spec)
{
    looks->spec = spec;
    looks->so_far.precision_percent = spec->precision_percent;
}

void sl_job_run_looks_fini(struct sl_job_run_looks *looks)
{
    sl_free(looks->log_ratios);
    looks->log_ratios = NULL;
}

static bool make_room(struct sl_job_run_looks *looks)
{
    size_t capacity = looks->capacity ? 2 * looks->capacity : FIRST_CAPACITY;
    if (looks->count < looks->capacity)
        return true;
    double *grown =
        capacity <= MAX_PAIRS ? sl_realloc(looks->log_ratios, capacity, sizeof(*grown)) : NULL;
    if (!grown)
        return false;
    looks->log_ratios = grown;
    looks->capacity = capacity;
    return true;
}

void sl_job_run_looks_add(struct sl_job_run_looks *looks, uint64_t off, uint64_t on)
{
    if (!looks->spec || looks->broken)
        return;
    looks->broken = !make_room(looks);
    if (!looks->broken)
        looks->log_ratios[looks->count++] = log((double)off / (double)on);
}

static void do_look(uv_work_t *request)
{
    struct sl_job_run_looks *looks = request->data;
    looks->rc =
        looks->kit->look(looks->kit->user, looks->spec, looks->seen, looks->next, &looks->at);
}

static void after_look(uv_work_t *request, int status)
{
    struct sl_job_run_looks *looks = request->data;
    looks->looking = false;
    sl_free(looks->seen);
    looks->seen = NULL;
    if (status == 0 && looks->rc == 0) {
        looks->so_far.looks++;
        looks->so_far.half_width_percent = 100 * looks->at.half_width;
        looks->last = looks->at.enough;
        looks->allowed = looks->last ? looks->next : looks->at.next;
        looks->next = looks->at.next;
    }
    looks->looked(looks->user); /* may free them */
}

void sl_job_run_looks_take(struct sl_job_run_looks *looks)
{
    if (looks->looking || looks->last || looks->broken || !looks->kit->look || !looks->spec ||
        looks->count < looks->next)
        return;
    looks->seen = sl_malloc(looks->next, sizeof(*looks->seen));
    if (!looks->seen)
        return;
    memcpy(looks->seen, looks->log_ratios, looks->next * sizeof(*looks->seen));
    looks->looking = uv_queue_work(looks->loop, &looks->request, do_look, after_look) == 0;
    if (!looks->looking) {
        sl_free(looks->seen);
        looks->seen = NULL;
    }
}
