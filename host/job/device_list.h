/* host/job/device_list.h: the lab's devices in the order of their names, and who of them leaves.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

enum { SL_LAB_MAX_DEVICES = 64 };

struct sl_device_list {
    struct sl_device_record records[SL_LAB_MAX_DEVICES]; /* by name */
    bool leaving[SL_LAB_MAX_DEVICES];                    /* after the job that it has */
    size_t count;
};

/* NULL: there is none. Valid until the next addition or removal. */
struct sl_device_record *sl_device_list_find(struct sl_device_list *list, const char *name);

/* Adds a device that is ready; one that is leaving stays; of one that is there only the kind
 * changes. SL_E_FULL. */
int sl_device_list_add(struct sl_device_list *list, const char *name, int kind);

/* Marks it as leaving. SL_E_NOT_FOUND. */
int sl_device_list_leave(struct sl_device_list *list, const char *name);

/* Takes out a device that is leaving and has no job: was it one? */
bool sl_device_list_drop(struct sl_device_list *list, const char *name);
