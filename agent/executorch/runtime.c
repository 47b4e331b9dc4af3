/* agent/executorch/runtime.c: agent/runtime/runtime.h once more, by ExecuTorch's own libraries.
 *
 * The verb `run` is linked with this in place of our own runtime, so that flags, schedule, recorder
 * and outputs are the same code. Models and methods are in method.c; here is which process a
 * variant lives in: both in one (features.h), or one of them beside it (apart.h). */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "agent/runtime/runtime.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/executorch/apart_variant.h"
#include "agent/executorch/executorch.h"
#include "agent/executorch/features.h"
#include "agent/executorch/libraries.h"
#include "agent/executorch/method.h"
#include "agent/executorch/pool.h"
#include "agent/executorch/variant.h"
#include "agent/runtime/lockstep.h"
#include "agent/trace/recorder.h"

static bool has_two_processes; /* a variant could not be loaded beside another */

/* Appends whose libraries the host put in the wheel's places, as a file beside them says. */
static void add_whose(char *version, size_t size)
{
    char path[4096], whose[256];
    if (sl_libraries_folder(dlsym(RTLD_DEFAULT, "et_pal_init"), path, sizeof(path)) < 0)
        return;
    size_t len = strlen(path), used = strlen(version);
    snprintf(path + len, sizeof(path) - len, "/whose");
    FILE *file = fopen(path, "r");
    if (file && fgets(whose, sizeof(whose), file))
        snprintf(version + used, size - used, ", libraries of %s", whose);
    if (file)
        fclose(file);
}

const char *sl_runtime_version(void)
{
    static char version[512], in_two[600];
    if (!version[0]) {
        snprintf(version, sizeof(version), "ExecuTorch %s", sl_executorch_version());
        add_whose(version, sizeof(version));
        snprintf(in_two, sizeof(in_two), "%s, a process for each variant", version);
    }
    return has_two_processes ? in_two : version;
}

static int load(struct sl_variant *v, uint32_t isa, struct sl_diag *diag)
{
    int rc = sl_variant_load_here(v, isa, diag);
    if (rc == SL_FEATURES_APART && sl_pool_count() > 1)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--variants",
                           "each variant needs a process of its own, which is done on one thread "
                           "alone: %s",
                           sl_features_why_apart());
    return rc == SL_FEATURES_APART ? sl_variant_load_apart(v, isa, diag) : rc;
}

int sl_variant_new(struct sl_method *method, uint32_t isa, uint16_t index,
                   struct sl_recorder *recorder, struct sl_variant **out, struct sl_diag *diag)
{
    struct sl_variant *v = NULL;
    int rc = sl_variant_prepare(method, recorder, &v);
    if (rc == 0)
        rc = load(v, isa, diag);
    if (rc != 0) {
        sl_variant_free(v);
        return rc;
    }
    has_two_processes = has_two_processes || v->apart;
    if (recorder && index == 0)
        sl_recorder_meta_text(recorder, "runtime", sl_runtime_version());
    if (recorder && index > 0)
        sl_recorder_meta_text(recorder, "processes",
                              v->apart ? "one for each variant" : "one for both variants");
    method->last = v;
    *out = v;
    return 0;
}

int sl_variant_execute(struct sl_variant *v, int traced, struct sl_diag *diag)
{
    v->method->last = v;
    return v->apart ? sl_variant_execute_apart(v, traced, diag)
                    : sl_variant_execute_here(v, traced, diag);
}

/* Its operators are not ours to run one by one. */
int sl_lockstep_execute(struct sl_variant *reference, struct sl_lockstep_side *sides, size_t count,
                        struct sl_diag *diag)
{
    (void)reference, (void)sides, (void)count, (void)diag;
    return SL_ET_NOT_SUPPORTED;
}
