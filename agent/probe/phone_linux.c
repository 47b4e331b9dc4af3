/* agent/probe/phone_linux.c: Android; other Linux has no such identity */
#include "agent/probe/phone.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/child.h"
#include "common/base/digest.h"
#include "common/base/path.h"

enum { TIMEOUT_MS = 2000 };

/* Writes a property's first line, "" where the system has none; false where it does not answer. */
static bool read_property(const char *getprop, const char *name, char out[SL_PROBE_BUILD_BYTES])
{
    const char *const argv[] = {getprop, name, NULL};
    const struct sl_child_spec spec = {.argv = argv, .timeout_ms = TIMEOUT_MS};
    struct sl_child_result result;
    out[0] = '\0';
    if (sl_child_run(&spec, &result, NULL) < 0)
        return false;
    bool answered = result.exit_code == 0;
    if (answered && result.out.data) {
        const char *text = (const char *)result.out.data;
        snprintf(out, SL_PROBE_BUILD_BYTES, "%.*s", (int)strcspn(text, "\r\n"), text);
    }
    sl_child_fini(&result);
    return answered;
}

bool sl_probe_phone_read(const char *root, struct sl_probe_phone *out)
{
    static const char *const names[] = {"ro.serialno", "ro.soc.model", "ro.product.device"};
    char getprop[1024], value[SL_PROBE_BUILD_BYTES], digest[SL_SHA256_HEX_SIZE];
    struct sl_sha256 sha;
    if (sl_path_join(getprop, sizeof(getprop), root, "system/bin/getprop") < 0 ||
        access(getprop, X_OK) < 0)
        return false;
    sl_sha256_init(&sha);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!read_property(getprop, names[i], value) || (i == 0 && !sl_probe_is_serial(value)))
            return false;
        sl_sha256_update(&sha, value, strlen(value) + 1); /* with its end: ab, c is not a, bc */
    }
    if (!read_property(getprop, "ro.build.fingerprint", out->build))
        return false;
    sl_sha256_final_hex(&sha, digest);
    snprintf(out->id, sizeof(out->id), "%.16s", digest);
    return true;
}
