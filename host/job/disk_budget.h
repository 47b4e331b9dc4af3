/* host/job/disk_budget.h: may more come into the state directory? Pure, but for sl_disk_use(). */
#pragma once

#include <stdint.h>

struct sl_disk_limits {
    uint64_t budget_bytes;  /* that the state directory may have; 0: any number */
    uint64_t reserve_bytes; /* that stay free of its disk; 0: none */
};

struct sl_disk_look {
    uint64_t free_bytes;  /* of the disk, for this user */
    uint64_t state_bytes; /* of the state directory; 0: not known */
};

enum sl_disk_state {
    SL_DISK_ROOM = 0,
    SL_DISK_RESERVE = 1, /* less is free than the reserve */
    SL_DISK_BUDGET = 2,  /* the state directory has its budget */
};

/* Judges the disk; `before` is the last judgement: intake that stopped begins again with a tenth
 * more free than the reserve, or a twentieth of the budget free, so that it does not flutter. */
enum sl_disk_state sl_disk_judge(const struct sl_disk_limits *limits, enum sl_disk_state before,
                                 const struct sl_disk_look *look);

/* Bytes on disk of all files below `path`, as du tells them; what cannot be read counts nothing,
 * and no link is followed. Blocks. */
uint64_t sl_disk_use(const char *path);
