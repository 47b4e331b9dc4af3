/* host/job/device_life.c */
#include "host/job/device_life.h"

#include <stdbool.h>
#include <stddef.h>

#include "host/records.h"

enum { FOR_EVER = 0 };

struct rung {
    int step;
    unsigned tries; /* FOR_EVER */
};

/* An agent that cannot be reached, on a device that is there as far as anybody says. */
static const struct rung unreachable[] = {{SL_STEP_RECONNECT, 2},     {SL_STEP_PROBE, 1},
                                          {SL_STEP_ADB_RECONNECT, 2}, {SL_STEP_USB_RESET, 1},
                                          {SL_STEP_HOOK, 2},          {SL_STEP_QUARANTINE, 1}};
/* The adb server has it and does not get through. */
static const struct rung no_answer[] = {
    {SL_STEP_ADB_RECONNECT, 3}, {SL_STEP_USB_RESET, 1}, {SL_STEP_HOOK, 2}, {SL_STEP_QUARANTINE, 1}};
/* Something of this machine is missing: nobody is quarantined for that. */
static const struct rung cannot_open[] = {{SL_STEP_RECONNECT, FOR_EVER}};

static size_t ladder_of(int cause, const struct rung **out)
{
    *out = cause == SL_CAUSE_DEVICE_UNREACHABLE   ? unreachable
           : cause == SL_CAUSE_DEVICE_NO_ANSWER   ? no_answer
           : cause == SL_CAUSE_DEVICE_CANNOT_OPEN ? cannot_open
                                                  : NULL;
    return *out == unreachable   ? sizeof(unreachable) / sizeof(unreachable[0])
           : *out == no_answer   ? sizeof(no_answer) / sizeof(no_answer[0])
           : *out == cannot_open ? 1
                                 : 0;
}

const char *sl_device_step_name(int step)
{
    switch (step) {
    case SL_STEP_RECONNECT:
        return "reconnect";
    case SL_STEP_PROBE:
        return "probe";
    case SL_STEP_ADB_RECONNECT:
        return "adb-reconnect";
    case SL_STEP_USB_RESET:
        return "usb-reset";
    case SL_STEP_HOOK:
        return "hook";
    case SL_STEP_QUARANTINE:
        return "quarantine";
    default:
        return "none";
    }
}

void sl_device_life_init(struct sl_device_life *life, unsigned can, uint32_t seed)
{
    *life = (struct sl_device_life){
        .can = can, .seed = seed, .due_ms = UINT64_MAX, .treated = SL_CAUSE_DEVICE_WELL};
}

int sl_device_life_cause(const struct sl_device_life *life)
{
    return life->listed != SL_CAUSE_DEVICE_WELL ? life->listed : life->link;
}

static uint64_t first_pause(const struct sl_device_life *life)
{
    return life->pause_ms ? life->pause_ms : SL_LIFE_PAUSE_MS;
}

/* Doubled by each step that was done, with an eighth of it at random, so that devices that fell
 * together are not tried together. */
static uint64_t pause_of(const struct sl_device_life *life)
{
    uint64_t pause = first_pause(life);
    unsigned doubles =
        life->steps < SL_LIFE_PAUSE_DOUBLES ? life->steps : (unsigned)SL_LIFE_PAUSE_DOUBLES;
    uint32_t mixed = (life->seed + life->steps) * 2654435761U;
    pause <<= doubles;
    return pause + (pause >> 3) * (mixed >> 16) / 65536;
}

static bool can_do(const struct sl_device_life *life, int step)
{
    return step == SL_STEP_RECONNECT || step == SL_STEP_QUARANTINE || (life->can & (unsigned)step);
}

/* Past the rungs that were tried enough, and those that this device has not. */
static void climb(struct sl_device_life *life)
{
    const struct rung *ladder;
    size_t count = ladder_of(life->treated, &ladder);
    while (life->rung < count &&
           (!can_do(life, ladder[life->rung].step) ||
            (ladder[life->rung].tries != FOR_EVER && life->tries >= ladder[life->rung].tries))) {
        life->rung++;
        life->tries = 0;
    }
}

/* When its rung is due; UINT64_MAX above the ladder. */
static uint64_t due_of(const struct sl_device_life *life, uint64_t now_ms)
{
    const struct rung *ladder;
    if (life->rung >= ladder_of(life->treated, &ladder))
        return UINT64_MAX;
    uint64_t due = now_ms + pause_of(life);
    uint64_t least = life->began_ms + SL_LIFE_QUARANTINE_PAUSES * first_pause(life);
    return ladder[life->rung].step == SL_STEP_QUARANTINE && due < least ? least : due;
}

static void begin(struct sl_device_life *life, int cause, uint64_t now_ms)
{
    life->treated = cause;
    life->began_ms = now_ms;
    life->rung = life->tries = life->steps = 0;
    climb(life);
    life->due_ms = due_of(life, now_ms);
}

/* While it is being reached again the ladder stands where it was: it is left when the device has
 * been well for a while, and begun anew for another cause. */
static void changed(struct sl_device_life *life, uint64_t now_ms)
{
    const struct rung *ladder;
    int cause = sl_device_life_cause(life);
    if (cause == SL_CAUSE_DEVICE_WELL) {
        life->well_ms = life->well_ms ? life->well_ms : now_ms + 1;
        life->due_ms = UINT64_MAX;
        return;
    }
    bool settled = life->well_ms != 0 && now_ms >= life->well_ms + SL_LIFE_SETTLED_MS;
    size_t rungs = ladder_of(cause, &ladder);
    if (life->well_ms != 0) /* it did come back, if not for long: the wait for quarantine begins */
        life->began_ms = now_ms;
    life->well_ms = 0;
    if (rungs == 0) { /* nothing is done about it by us; what was begun waits */
        life->due_ms = UINT64_MAX;
        if (settled)
            life->treated = SL_CAUSE_DEVICE_WELL;
    } else if (settled || cause != life->treated) {
        begin(life, cause, now_ms);
    } else if (life->due_ms == UINT64_MAX && life->rung < rungs) {
        life->due_ms = due_of(life, now_ms);
    }
}

void sl_device_life_listed(struct sl_device_life *life, int cause, uint64_t now_ms)
{
    if (life->listed == cause)
        return;
    life->listed = cause;
    changed(life, now_ms);
}

void sl_device_life_link(struct sl_device_life *life, int cause, uint64_t now_ms)
{
    if (life->link == cause)
        return;
    life->link = cause;
    changed(life, now_ms);
}

int sl_device_life_step(struct sl_device_life *life, uint64_t now_ms)
{
    const struct rung *ladder;
    if (now_ms < life->due_ms)
        return 0;
    ladder_of(life->treated, &ladder);
    int step = ladder[life->rung].step;
    life->tries++;
    life->steps++;
    climb(life);
    life->due_ms = due_of(life, now_ms);
    return step;
}

uint64_t sl_device_life_due_ms(const struct sl_device_life *life)
{
    return life->due_ms;
}

void sl_device_life_again(struct sl_device_life *life, uint64_t now_ms)
{
    life->treated = SL_CAUSE_DEVICE_WELL;
    life->well_ms = 0;
    changed(life, now_ms);
}
