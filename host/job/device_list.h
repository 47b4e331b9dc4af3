/* host/job/device_list.h: the lab's devices in the order of their names, and who of them leaves.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/job/device_life.h"
#include "host/records.h"
#include "host/spec/device_facts.h"

/* The lab's knowledge of a device beside its record. */
struct sl_device_more {
    bool leaving; /* after the job that it has */
    bool out;     /* in quarantine, `out_why` */
    bool told;    /* to other hosts, as it is */
    bool lent;    /* the runner was told that it is a person's */
    struct sl_device_life life;
    uint64_t reserved_until_ms; /* Unix time; 0: by nobody */
    char reserved_by[SL_NAME_BYTES];
    struct sl_device_facts facts;
    char listed_why[SL_DETAIL_BYTES], link_why[SL_DETAIL_BYTES], out_why[SL_DETAIL_BYTES];
};

struct sl_device_list {
    struct sl_device_record records[SL_MAX_DEVICES]; /* by name */
    struct sl_device_more more[SL_MAX_DEVICES];      /* in the same places */
    size_t count;
};

/* NULL: there is none. Valid until the next addition or removal. */
struct sl_device_record *sl_device_list_find(struct sl_device_list *list, const char *name);
struct sl_device_more *sl_device_list_more(struct sl_device_list *list,
                                           const struct sl_device_record *record);

/* Is it a person's now: reserved, and without a job? */
bool sl_device_list_is_lent(const struct sl_device_record *device,
                            const struct sl_device_more *more);

/* Writes its cause and state, why it takes no job, and what to do about it, into its record. */
void sl_device_list_tell(struct sl_device_record *device, const struct sl_device_more *more);

/* In how many ms a reservation ends or a step is due, UINT64_MAX: never. `now_ms` is Unix time,
 * `at_ms` that of the devices' lives. */
uint64_t sl_device_list_wait_ms(const struct sl_device_list *list, uint64_t now_ms, uint64_t at_ms);
/* Is something to be done about the device when that is due? */
bool sl_device_list_tends(const struct sl_device_more *more);

/* Counts into each record the jobs that wait and could go to it. */
struct sl_queue;
void sl_device_list_count_queues(struct sl_device_list *list, const struct sl_queue *queue);

/* Is the job that the device does, as the queue has it (NULL: not at all), still its own? It may
 * have become another host's, or wait again. */
bool sl_device_list_runs(const struct sl_device_record *device, const struct sl_job_record *job);

/* Adds a device that is ready; one that is leaving stays; of one that is there only the kind
 * changes. SL_E_FULL. */
int sl_device_list_add(struct sl_device_list *list, const char *name, int kind);

/* Marks it as leaving. SL_E_NOT_FOUND. */
int sl_device_list_leave(struct sl_device_list *list, const char *name);

/* Takes out a device that is leaving and has no job: was it one? */
bool sl_device_list_drop(struct sl_device_list *list, const char *name);
