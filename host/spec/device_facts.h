/* host/spec/device_facts.h: what a device's agent says of it (`sme2lab-agent probe --json`), and
 * what follows: has it SME2, and if not, why. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct cJSON;

/* All zero: it has said nothing. */
struct sl_device_facts {
    bool known;
    bool sme, sme2;  /* the CPU's, as its kernel offers it */
    bool holds_sme2; /* the agent has a kernel for it */
    int config_sme;  /* enum sl_maybe: is the system's kernel built with it? */
    int cores_sme2;  /* enum sl_maybe: do its cores have it? By their types */
    bool hwcap2_known;
    uint64_t hwcap2, memory_bytes;
    uint32_t svl_bits;
    char lengths[SL_NAME_BYTES]; /* "128,256,512" bits; "": not known */
    char cores[SL_NAME_BYTES];   /* the types, "C1-Ultra, C1-Pro"; "": not known */
    char soc[SL_NAME_BYTES];     /* "": not known */
    char sysname[16], release[32], machine[16];
};

/* How a device without a job was when its agent looked last. */
struct sl_device_conditions {
    int32_t millidegrees;        /* Celsius, of its warmest place that can be read, */
    char warmest[SL_NAME_BYTES]; /* which is called so; "": not known */
    uint32_t battery_percent;    /* 0: it has none, or it is not known */
    int power_saver;             /* enum sl_maybe */
};

/* Puts them into the record, as read at `now_ms` (Unix time). */
void sl_device_conditions_tell(const struct sl_device_conditions *conditions, uint64_t now_ms,
                               struct sl_device_record *record);

/* Reads the probe's JSON. Of what is absent or of another type nothing is known. SL_E_FORMAT: it
 * is no such object. */
int sl_device_facts_read(struct sl_bytes probe, struct sl_device_facts *out);
/* The same from one that is parsed already; NULL: nothing is known. */
int sl_device_facts_of(const struct cJSON *probe, struct sl_device_facts *out);

/* One line of a device for lists: `detail` (why it cannot be used), else what it is and why it has
 * no SME2. Texts may be "". Returns `out`. */
const char *sl_device_detail(char out[2 * SL_DETAIL_BYTES], const char *detail, const char *model,
                             const char *system, const char *no_sme2);

/* Puts them into the record. What a phone says of itself stays: its SoC and its Android version. */
void sl_device_facts_tell(const struct sl_device_facts *facts, struct sl_device_record *record);
