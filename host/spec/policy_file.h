/* host/spec/policy_file.h: a device's own table of what runs in streaming mode, as `sme2lab
 * kernels bench --tune` writes it: schema sme2lab.policy/1.
 *
 * {"schema": "sme2lab.policy/1", "fingerprint": "emulated-0123456789abcdef", "unit":
 * "instructions", "measured_at": "2026-01-02T03:04:05Z", "streaming_off": ["unary"], "families":
 * […]} The families are what was measured, for people. It lies at
 * <state>/devices/<fingerprint>/policy.json.
 *
 * A table of one model, which a counted run estimates (host/rundir/run_policy.h), has no
 * fingerprint but {"source": "estimated", "profile": "apple-m4", "operators_off": "0.3.17-20,0.4",
 * "operators": […]}: calls by chain and instruction, nodes of a delegate behind them.
 *
 * {"source": "all", "streaming_off": []} keeps nothing out, whatever the default is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct sl_diag;

enum {
    SL_FINGERPRINT_BYTES = 48,
    SL_POLICY_FILE_MAX_FAMILIES = 32,
    SL_POLICY_FILE_MAX_BYTES = 1 << 20,
    SL_POLICY_OPERATORS_BYTES = 32 << 10,
    SL_POLICY_WORDS_BYTES = SL_POLICY_OPERATORS_BYTES + SL_SELECTOR_BYTES,
};

struct sl_policy_file {
    char fingerprint[SL_FINGERPRINT_BYTES];
    char unit[16];                                 /* "ns" or "instructions" */
    char streaming_off[SL_SELECTOR_BYTES];         /* families, separated by commas; "none" */
    char profile[SL_NAME_BYTES];                   /* of silicon, of an estimated table; else "" */
    char operators_off[SL_POLICY_OPERATORS_BYTES]; /* as the agent takes them; "": none */
};

/* The table as the agent's --policy takes it: "FAMILIES" or "FAMILIES;OPERATORS". */
void sl_policy_file_words(const struct sl_policy_file *file, char out[SL_POLICY_WORDS_BYTES]);

/* 0, or SL_E_FORMAT, SL_E_LIMIT, -ENOMEM with `diag` naming `file`. Names are of small letters,
 * digits and '_'; whether such families exist the agent knows. */
int sl_policy_file_parse(struct sl_bytes text, const char *file, struct sl_policy_file *out,
                         struct sl_diag *diag);

/* The fingerprint under which a device's files are kept, of what its agent's probe says: in an
 * emulator it is another device's. SL_E_FORMAT: it is none. */
int sl_device_fingerprint(const char *probed, bool emulated, char out[SL_FINGERPRINT_BYTES]);

/* <state>/devices/<fingerprint>/<name>. SL_E_LIMIT. */
int sl_device_file_path(const char *state, const char *fingerprint, const char *name,
                        char out[SL_PATH_BYTES]);
