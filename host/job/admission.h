/* host/job/admission.h: may a job come in, and as what? Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_device_list;
struct sl_device_record;
struct sl_diag;
struct sl_job_record;
struct sl_queue;
struct sl_spec;

/* Borrowed. */
struct sl_admission_devices {
    const struct sl_device_list *own;
    const struct sl_device_record *others; /* of other hosts */
    size_t other_count;
};

/* The record of the job, without its number, owner and group: SL_E_FORMAT (its selector or deadline
 * is none, or has passed), SL_E_NOT_FOUND (no device is, or might be, what it asks for), SL_E_FULL
 * (the queue), with `diag` (may be NULL) set. */
int sl_admission_check(const struct sl_queue *queue, const struct sl_admission_devices *devices,
                       const struct sl_spec *spec, uint64_t now_ms, struct sl_job_record *out,
                       struct sl_diag *diag);
