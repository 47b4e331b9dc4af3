/* tests/bench/count_agent.c: count_agent [--svl BITS] [--pcs FILE] AGENT-ARGUMENT...
 *
 * Runs the agent counted in the emulator and prints, as JSON, the executed instructions before each
 * of its marks. --pcs: also a line "ADDRESS COUNT" for every counted instruction, for a profile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"

enum { TIMEOUT_MS = 300000, DEFAULT_SVL = 512 };

static int fail(const struct sl_diag *diag, int rc)
{
    fprintf(stderr, "count_agent: %s: %s\n", diag->where,
            diag->what[0] ? diag->what : sl_strerror(rc));
    return 1;
}

static void print_pc(void *user, const struct sl_count_insn *insn)
{
    if (insn->counted != 0)
        fprintf(user, "%" PRIx64 " %" PRIu64 "\n", insn->pc, insn->counted);
}

static void print_marks(const struct sl_count_log *log)
{
    size_t count;
    const struct sl_count_mark *marks = sl_count_log_marks(log, &count);
    printf("{\"marks\": [");
    for (size_t i = 0; i < count; i++)
        printf("%s%" PRIu64, i ? ", " : "", marks[i].insns[SL_INSN_ANY]);
    printf("]}\n");
}

static int write_pcs(const struct sl_count_log *log, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return 1;
    }
    sl_count_log_each(log, print_pc, file);
    return fclose(file) != 0;
}

static int run(unsigned svl, const char *pcs, const char *const *args)
{
    struct sl_diag diag = {0};
    struct sl_device device;
    struct sl_child_result result;
    struct sl_launch launch = {.args = args, .timeout_ms = TIMEOUT_MS};
    int rc = sl_device_open(SL_DEVICE_COUNTED, svl, NULL, &device, &diag);
    if (rc == 0)
        rc = sl_device_new_log(&device, &launch.log, &diag);
    if (rc == 0)
        rc = sl_device_launch(&device, &launch, &result, &diag);
    if (rc < 0) {
        sl_count_log_free(launch.log);
        return fail(&diag, rc);
    }
    int failed = result.exit_code != 0 || result.signal != 0 || result.timed_out;
    if (failed)
        fprintf(stderr, "%.*s", (int)result.err.size, (const char *)result.err.data);
    else
        print_marks(launch.log);
    if (!failed && pcs)
        failed = write_pcs(launch.log, pcs);
    sl_child_fini(&result);
    sl_count_log_free(launch.log);
    return failed;
}

int main(int argc, char **argv)
{
    unsigned svl = DEFAULT_SVL;
    const char *pcs = NULL;
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--svl") == 0)
            svl = (unsigned)strtoul(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--pcs") == 0)
            pcs = argv[at + 1];
        else
            break;
    }
    return run(svl, pcs, (const char *const *)argv + at);
}
