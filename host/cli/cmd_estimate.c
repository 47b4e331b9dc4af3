/* host/cli/cmd_estimate.c: `sme2lab estimate`: what the code of an emulator's log would take. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/analysis/estimate.h"
#include "host/analysis/silicon.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/device/count_log.h"
#include "host/report/estimate_out.h"
#include "host/report/silicon_file.h"
#include "host/rundir/log_estimate.h"

#define MAX_OUTPUT_BYTES ((size_t)1 << 20)

enum { CHUNK = 1 << 18 };

struct request {
    const char *log_path, *from_text, *to_text;
    struct sl_option_list names;
    int64_t hand_over_bytes;
    struct sl_option_list memory;
    struct sl_estimate_traffic traffic[SL_OPTION_LIST_MAX];
    struct sl_count_window window;
    struct sl_count_log *log;
    struct sl_silicon *profiles; /* owned */
    struct sl_estimate_answer answer;
};

static const char about[] =
    "Estimates how long code would take on a named chip, from a log of the emulator (QEMU's\n"
    "'-d in_asm,exec,nochain'). Nothing is measured: published figures of the chip are added up\n"
    "for each block that was executed (configs/silicon/README.md). With --from and --to the times\n"
    "are of one pass from the one address to the other; both begin a block, as a function does.";

static int parse_address(const char *option, const char *text, uint64_t *out, struct sl_diag *diag)
{
    char *end = NULL;
    if (!text)
        return 0;
    errno = 0;
    *out = strtoull(text, &end, 0);
    if (text[0] == '\0' || text[0] == '-' || *end != '\0' || errno != 0 || *out == 0) {
        sl_diag_hint(diag, "as '%s 0x401234'", option);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, option, "'%.60s' is no address", text);
    }
    return 0;
}

static int parse_memory(struct request *r, struct sl_diag *diag)
{
    for (size_t i = 0; i < r->memory.count; i++) {
        const char *text = r->memory.items[i];
        char *end = NULL;
        struct sl_estimate_traffic *traffic = &r->traffic[i];
        traffic->bytes = traffic->footprint = strtod(text, &end);
        bool good = end != text;
        if (good && *end == ':') {
            const char *second = end + 1;
            traffic->footprint = strtod(second, &end);
            good = end != second;
        }
        if (!good || *end != '\0' || !(traffic->bytes >= 0 && traffic->bytes < 1e18) ||
            !(traffic->footprint >= 0 && traffic->footprint < 1e18))
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "--memory",
                               "'%.60s' is not BYTES or BYTES:AMONG", text);
    }
    return 0;
}

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    size_t count = 0;
    const struct sl_option options[] = {
        {"--silicon", 0, SL_OPTION_LIST, &r->names, "NAME",
         "the chip: a profile's name or its file (apple-m4, arm-c1-ultra)"},
        {"--from", 0, SL_OPTION_TEXT, &r->from_text, "ADDR", "address where a pass begins"},
        {"--to", 0, SL_OPTION_TEXT, &r->to_text, "ADDR",
         "address where it ends; the code there is not part of it"},
        {"--memory", 0, SL_OPTION_LIST, &r->memory, "N[:AMONG]",
         "a pass reads or writes N bytes of buffers of AMONG bytes together (N): the smallest "
         "cache "
         "that holds these serves them. Without it memory costs nothing"},
        {"--hand-over", 0, SL_OPTION_COUNT, &r->hand_over_bytes, "N",
         "bytes that ordinary code has just written and SME2's streaming code reads"},
    };
    const struct sl_usage usage = {.verb = "estimate",
                                   .synopsis = "LOG [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0])};
    int rc = sl_options_parse(&usage, argc, argv, &r->log_path, 1, &count, diag);
    if (rc != 0)
        return rc;
    if (count == 0) {
        sl_diag_hint(diag, "'sme2lab estimate LOG --silicon apple-m4'");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "no log was named");
    }
    if (!r->from_text != !r->to_text)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "--from and --to go together");
    rc = parse_address("--from", r->from_text, &r->window.from, diag);
    if (rc == 0)
        rc = parse_address("--to", r->to_text, &r->window.to, diag);
    return rc < 0 ? rc : parse_memory(r, diag);
}

static int load_profiles(struct request *r, struct sl_diag *diag)
{
    static const char *const defaults[] = {"apple-m4", "arm-c1-ultra"};
    int rc = 0;
    if (r->names.count == 0) {
        memcpy(r->names.items, defaults, sizeof(defaults));
        r->names.count = sizeof(defaults) / sizeof(defaults[0]);
    }
    r->profiles = sl_calloc(r->names.count, sizeof(*r->profiles));
    if (!r->profiles)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < r->names.count; i++)
        rc = sl_silicon_load(r->names.items[i], &r->profiles[i], diag);
    return rc;
}

static int read_log(struct request *r, struct sl_diag *diag)
{
    int rc = sl_count_log_new(NULL, &r->log);
    if (rc < 0)
        return rc;
    sl_count_log_keep_spans(r->log, &r->window);
    uint8_t *bytes = sl_malloc(CHUNK, 1);
    FILE *file = bytes ? fopen(r->log_path, "rb") : NULL;
    rc = !bytes ? -ENOMEM : file ? 0 : -errno;
    for (size_t got; rc == 0 && (got = fread(bytes, 1, CHUNK, file)) > 0;)
        rc = sl_count_log_push(r->log, bytes, got, diag);
    if (rc == 0 && ferror(file))
        rc = -EIO;
    if (rc == 0)
        rc = sl_count_log_finish(r->log, diag);
    if (file)
        fclose(file);
    sl_free(bytes);
    if (rc < 0 && diag->what[0] == '\0')
        sl_diag_set(diag, rc, r->log_path, "the log cannot be read: %s", sl_strerror(rc));
    return rc;
}

/* How often the window was passed; 1 without one. */
static int count_passes(struct request *r, struct sl_diag *diag)
{
    size_t count;
    const struct sl_count_mark *marks = sl_count_log_marks(r->log, &count);
    r->answer.passes = 0;
    for (size_t i = 1; i < count; i++)
        r->answer.passes += marks[i].is_end && !marks[i - 1].is_end;
    if (!r->from_text)
        r->answer.passes = 1;
    if (r->answer.passes > 0 && sl_count_log_counted(r->log, SL_INSN_ANY) > 0)
        return 0;
    sl_diag_hint(diag, "'llvm-nm PROGRAM' has the addresses of functions");
    return sl_diag_set(diag, SL_E_NOT_FOUND, r->log_path,
                       r->from_text ? "no block begins at %s with one at %s after it"
                                    : "nothing was executed in it",
                       r->from_text, r->to_text);
}

static int estimate_all(struct request *r)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->names.count; i++) {
        struct sl_log_estimator *estimator = NULL;
        struct sl_estimate *estimate = &r->answer.estimates[i];
        struct sl_estimate_data data = {.traffic = r->traffic,
                                        .traffic_count = r->memory.count,
                                        .hand_over_bytes = (double)r->hand_over_bytes,
                                        .calls = 1,
                                        .passes = (double)r->answer.passes};
        rc = sl_log_estimator_new(r->log, &r->profiles[i], &estimator);
        if (rc < 0)
            return rc;
        sl_log_estimator_add(estimator, 0, SIZE_MAX, estimate);
        sl_estimate_finish(estimate, &r->profiles[i], &data);
        sl_log_estimator_free(estimator);
    }
    return rc;
}

int sl_cmd_estimate(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.log_path = NULL};
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    rc = load_profiles(&r, &diag);
    if (rc == 0)
        rc = read_log(&r, &diag);
    if (rc == 0)
        rc = count_passes(&r, &diag);
    if (rc == 0)
        rc = estimate_all(&r);
    r.answer.file = r.log_path;
    r.answer.from = r.from_text;
    r.answer.to = r.to_text;
    r.answer.profiles = r.profiles;
    r.answer.count = r.names.count;
    if (rc == 0)
        rc = cli->json ? sl_estimate_json(&out, &r.answer) : sl_estimate_text(&out, &r.answer);
    if (rc == 0)
        sl_say_page(stdout, &out);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, r.log_path, "there is no estimate: %s", sl_strerror(rc));
    sl_buf_fini(&out);
    sl_count_log_free(r.log);
    sl_free(r.profiles);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
