/* host/job/device_life.h: whether a device can be used, why not, and what is tried next to bring
 * it back. Pure: time is an argument; one device's life knows nothing of another's.
 *
 * Two sources say what a device is worth: who lists it (an adb server), and the link to its agent;
 * the listing's word comes first. For each cause there is a ladder of steps with a back-off, from a
 * new connection to quarantine. A cause that only a person can end has none. */
#pragma once

#include <stdint.h>

/* Steps, as bits: which of them can be done with a device stands in `can`. */
enum sl_device_step {
    SL_STEP_RECONNECT = 1, /* the link is dropped and tried at once; what failed is opened anew */
    SL_STEP_PROBE = 2,     /* it is asked anew what it is */
    SL_STEP_ADB_RECONNECT = 4, /* the adb server drops the device and takes it again */
    SL_STEP_USB_RESET = 8,
    SL_STEP_HOOK = 16,       /* the command of the configuration: power-cycle, reboot */
    SL_STEP_QUARANTINE = 32, /* the last: a person releases it */
};

enum {
    SL_LIFE_PAUSE_MS = 5000,   /* before the first step, doubled from step to step */
    SL_LIFE_PAUSE_DOUBLES = 4, /* so often at most */
    /* So many first pauses go by before a device is quarantined: it may boot, or be updated, and
     * comes back by itself. */
    SL_LIFE_QUARANTINE_PAUSES = 120,
    SL_LIFE_SETTLED_MS = 60000 /* well for so long: the next trouble begins at the ladder's foot */
};

struct sl_device_life {
    int listed, link;  /* enum sl_device_cause */
    unsigned can;      /* SL_STEP_ bits */
    uint32_t pause_ms; /* 0: SL_LIFE_PAUSE_MS */
    uint32_t seed;     /* of the jitter: another for each device */
    int treated;       /* cause that the ladder is climbed for; WELL: none */
    unsigned rung, tries, steps;
    uint64_t began_ms; /* the climb, or when it was last well if that is later */
    uint64_t due_ms;   /* of the next step; UINT64_MAX: none */
    uint64_t well_ms;  /* since then it is well; 0: it is not */
};

/* A device that is well. */
void sl_device_life_init(struct sl_device_life *life, unsigned can, uint32_t seed);

/* Takes the cause that the listing, or the link, reports now: enum sl_device_cause. */
void sl_device_life_listed(struct sl_device_life *life, int cause, uint64_t now_ms);
void sl_device_life_link(struct sl_device_life *life, int cause, uint64_t now_ms);

/* Why it cannot be used now; SL_CAUSE_DEVICE_WELL when it can. */
int sl_device_life_cause(const struct sl_device_life *life);

/* The step that is due, once; 0: none is. Quarantine is the last of a ladder. */
int sl_device_life_step(struct sl_device_life *life, uint64_t now_ms);
uint64_t sl_device_life_due_ms(const struct sl_device_life *life); /* UINT64_MAX: never */

/* Somebody took it out of quarantine, or tries it by hand: from the ladder's foot again. */
void sl_device_life_again(struct sl_device_life *life, uint64_t now_ms);

const char *sl_device_step_name(int step);
