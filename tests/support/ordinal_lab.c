/* tests/support/ordinal_lab.c: sme2labd as it is, but for one thing: its devices of kind "local"
 * and behind a link are this machine with the agent's portable kernels, on a clock of ordinals, so
 * that equal runs are equal to the byte and a case of the fault tests takes a fraction of a second.
 *
 * The linker puts these in place of sl_device_open_wish() and sl_kit_init() (-Wl,--wrap); other
 * kinds of device are the real ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "common/format/trace_etdump.h"
#include "host/daemon/job_kit.h"
#include "host/device/launch.h"

enum { PATH_BYTES = 1200, MAX_BYTES = 1 << 28 };

int __real_sl_device_open_wish(const struct sl_device_wish *wish, struct sl_device *out,
                               struct sl_diag *diag);
int __wrap_sl_device_open_wish(const struct sl_device_wish *wish, struct sl_device *out,
                               struct sl_diag *diag);
int __real_sl_kit_init(struct sl_kit *kit, const char *store, struct sl_diag *diag);
int __wrap_sl_kit_init(struct sl_kit *kit, const char *store, struct sl_diag *diag);

static struct sl_job_kit real; /* for the other kinds */

int __wrap_sl_device_open_wish(const struct sl_device_wish *wish, struct sl_device *out,
                               struct sl_diag *diag)
{
    if (wish->kind != SL_DEVICE_LOCAL)
        return __real_sl_device_open_wish(wish, out, diag);
    *out = (struct sl_device){.kind = wish->kind, .traits = sl_device_kind_traits(wish->kind)};
    return sl_tools_find_native_agent(&out->agent, diag);
}

static struct sl_job_means means_of(void *user, const struct sl_device *device)
{
    (void)user;
    return !device->traits.emulated
               ? (struct sl_job_means){.variants = "off,portable", .marks = true, .alone = true}
               : (struct sl_job_means){.variants = "off,on"};
}

static int write_etdump(const struct sl_trace *trace, uint32_t variant, const char *directory,
                        struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_buf etdump;
    sl_buf_init(&etdump, MAX_BYTES);
    int rc = sl_trace_to_etdump(trace, variant, &etdump, diag);
    snprintf(path, sizeof(path), "%s/variant-%" PRIu32 ".etdump", directory, variant);
    if (rc == 0)
        rc = sl_buf_write_file(path, etdump.data, etdump.size);
    sl_buf_fini(&etdump);
    return rc;
}

/* The ETDumps as the daemon makes them, an ordinal for a count of instructions. */
static int finish(void *user, const struct sl_job_ended *ended, struct sl_run_record *record,
                  struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_buf bytes;
    struct sl_trace trace;
    if (ended->device->traits.emulated)
        return real.finish(user, ended, record, diag);
    snprintf(path, sizeof(path), "%s/trace.sltrace", ended->directory);
    int rc = sl_buf_read_file(path, MAX_BYTES, &bytes);
    if (rc < 0)
        return rc;
    rc = sl_trace_parse((struct sl_bytes){bytes.data, bytes.size}, &trace, diag);
    if (rc == 0) {
        trace.unit = SL_TRACE_INSTRUCTIONS;
        for (uint32_t variant = 0; variant < 2 && rc == 0; variant++)
            rc = write_etdump(&trace, variant, ended->directory, diag);
        sl_trace_fini(&trace);
    }
    sl_buf_fini(&bytes);
    snprintf(record->verdict, sizeof(record->verdict), "ordinals");
    return rc;
}

int __wrap_sl_kit_init(struct sl_kit *kit, const char *store, struct sl_diag *diag)
{
    int rc = __real_sl_kit_init(kit, store, diag);
    real = kit->calls;
    kit->calls.means = means_of;
    kit->calls.finish = finish;
    return rc;
}
