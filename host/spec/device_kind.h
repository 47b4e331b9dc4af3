/* host/spec/device_kind.h: the names of the kinds of devices, and what their figures mean. */
#pragma once

#include <stdbool.h>

/* How one gets at a device's agent; what its figures mean is asked of its traits. */
enum sl_device_kind {
#define SL_DEVICE_KIND(kind, number, name, emulated, counted, pushed) SL_DEVICE_##kind = (number),
#include "host/spec/device_kinds.inc"
#undef SL_DEVICE_KIND
};

/* A device as the configuration describes it; texts may be NULL. */
struct sl_device_wish {
    int kind;
    unsigned svl_bits;
    const char *cpu; /* NULL: QEMU's "max" with streaming vectors of `svl_bits` */
    const char *link, *secret_file;
    bool allow_unencrypted; /* beyond this machine */
};

/* Traits: code outside host/device asks for these, never for the kind. */
struct sl_device_traits {
    bool emulated;   /* its CPU is emulated: its times mean nothing, its instructions do */
    bool counted;    /* it counts instructions in place of time */
    bool needs_push; /* it is behind a link and shares no files with the daemon */
};

const char *sl_device_kind_name(int kind); /* "unknown" for what is none */
bool sl_device_kind_is_phone(int kind);
bool sl_device_kind_is_machine(int kind);  /* this machine itself */
int sl_device_kind_find(const char *name); /* enum sl_device_kind; 0: there is none of that name */

/* Those of the kind; whether a CPU behind a link is emulated only its agent knows. */
struct sl_device_traits sl_device_kind_traits(int kind);
/* Its figures are times of a real CPU, or counts. */
bool sl_device_traits_mean_something(struct sl_device_traits traits);
