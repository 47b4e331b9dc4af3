/* agent/probe/phone_darwin.c: a Mac says which one it is, as an Android does. */
#include "agent/probe/phone.h"

#include <gethostuuid.h>
#include <stdio.h>
#include <time.h>

#include "agent/probe/sysctl.h"
#include "common/base/digest.h"

bool sl_probe_phone_read(const char *root, struct sl_probe_phone *out)
{
    const struct timespec at_once = {.tv_sec = 1};
    char digest[SL_SHA256_HEX_SIZE];
    struct sl_sha256 sha;
    uuid_t id;
    (void)root;
    if (gethostuuid(id, &at_once) != 0)
        return false;
    sl_sysctl_text("kern.osversion", out->build, sizeof(out->build));
    sl_sha256_init(&sha);
    sl_sha256_update(&sha, id, sizeof(id));
    sl_sha256_final_hex(&sha, digest);
    snprintf(out->id, sizeof(out->id), "%.16s", digest);
    return true;
}
