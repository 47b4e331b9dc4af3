/* agent/probe/probe.c */
#include "agent/probe/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "agent/probe/board.h"
#include "agent/probe/cores.h"
#include "agent/probe/device.h"
#include "agent/probe/kernel_list.h"
#include "agent/probe/phone.h"
#include "agent/probe/sysfs.h"
#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "kernels/cpu/isa.h"

enum { MAX_PROBE_BYTES = 1 << 20, EXIT_USAGE = 2, EXIT_DEFECT = 6 };

static void put_known(struct sl_json *json, const char *key, int64_t value)
{
    if (value == SL_PROBE_UNKNOWN)
        sl_json_null(json, key);
    else
        sl_json_i64(json, key, value);
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static void put_type(struct sl_json *json, const struct sl_probe_core *core)
{
    char text[24];
    const char *name = sl_probe_core_name(core->midr);
    snprintf(text, sizeof(text), "0x%08" PRIx64, (uint64_t)core->midr);
    sl_json_text(json, "midr", core->midr == SL_PROBE_UNKNOWN ? NULL : text);
    sl_json_text(json, "type", name ? name : or_null(core->kind));
}

static void put_core(const struct sl_probe_core *core, struct sl_json *json)
{
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "index", core->index);
    sl_json_bool(json, "online", core->online);
    sl_json_u64(json, "cluster", core->cluster);
    put_known(json, "max_khz", core->max_khz);
    put_known(json, "capacity", core->capacity);
    put_type(json, core);
    sl_json_close_object(json);
}

static void put_cluster(const char *root, const struct sl_probe_cores *cores, size_t c,
                        struct sl_json *json)
{
    const struct sl_probe_core *first = &cores->core[cores->cluster_first[c]];
    char governor[64];
    sl_json_open_object(json, NULL);
    sl_json_open_array(json, "cores");
    for (size_t i = 0; i < cores->count; i++) {
        if (cores->core[i].cluster == c)
            sl_json_u64(json, NULL, cores->core[i].index);
    }
    sl_json_close_array(json);
    put_known(json, "max_khz", first->max_khz);
    put_known(json, "capacity", first->capacity);
    put_type(json, first);
    bool known = sl_sysfs_line(root, governor, sizeof(governor),
                               "sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/scaling_governor",
                               first->index);
    sl_json_text(json, "governor", known ? governor : NULL);
    sl_json_close_object(json);
}

static int put_cores(const char *root, struct sl_json *json)
{
    struct sl_probe_cores *cores = sl_malloc(1, sizeof(*cores));
    if (!cores)
        return -ENOMEM;
    sl_device_read_cores(root, cores);
    sl_json_open_array(json, "cores");
    for (size_t i = 0; i < cores->count; i++)
        put_core(&cores->core[i], json);
    sl_json_close_array(json);
    sl_json_open_array(json, "clusters");
    for (size_t c = 0; c < cores->cluster_count; c++)
        put_cluster(root, cores, c, json);
    sl_json_close_array(json);
    sl_free(cores);
    return 0;
}

static void put_isa(struct sl_json *json)
{
    uint32_t isa = sl_isa_detect();
    sl_json_open_array(json, "isa");
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        char name[32];
        if (!(isa & bit))
            continue;
        sl_isa_format(bit, name, sizeof(name));
        sl_json_text(json, NULL, name);
    }
    sl_json_close_array(json);
    sl_json_u64(json, "svl_bytes", sl_isa_svl_bytes());
    uint32_t lengths = sl_isa_svl_lengths();
    sl_json_open_array(json, "svl_lengths_bytes");
    for (uint32_t length = 1; length != 0; length <<= 1) {
        if (lengths & length)
            sl_json_u64(json, NULL, length);
    }
    sl_json_close_array(json);
}

/* A number, or who made it with a number, names no SoC to a person: then the machine does. */
static void put_soc(const char *root, struct sl_json *json)
{
    struct sl_device_soc soc;
    sl_device_read_soc(root, &soc);
    bool number =
        soc.id[strspn(soc.id, "0123456789")] == '\0' || strncmp(soc.id, "jep106:", 7) == 0;
    sl_json_text(json, "soc", or_null(soc.machine[0] && number ? soc.machine : soc.id));
    sl_json_text(json, "board", or_null(soc.board));
}

/* The SoC's name where it has one: the kernel hides the type of a core that is offline. Else the
 * kinds of cores; one whose type is not known says nothing that lasts: in an emulator it is the
 * host's. */
static void digest_cores(const char *root, const struct sl_probe_cores *cores,
                         struct sl_sha256 *sha)
{
    char text[3 * 64 + 8];
    struct sl_device_soc soc;
    sl_device_read_soc(root, &soc);
    if (soc.id[0] || soc.machine[0]) {
        int len = snprintf(text, sizeof(text), "%s\n%s\n%s\n", soc.id, soc.machine, soc.board);
        sl_sha256_update(sha, text, (size_t)len);
        return;
    }
    const struct sl_probe_core *last = NULL;
    for (size_t i = 0; i < cores->cluster_count; i++) {
        const struct sl_probe_core *core = &cores->core[cores->cluster_first[i]];
        bool again = last && core->midr == last->midr && core->max_khz == last->max_khz;
        if (core->midr == SL_PROBE_UNKNOWN || again)
            continue;
        last = core;
        int len = snprintf(text, sizeof(text), "cores %" PRIx64 " %" PRId64 "\n",
                           (uint64_t)core->midr, core->max_khz);
        sl_sha256_update(sha, text, (size_t)len);
    }
}

static void digest_phone(const struct sl_probe_phone *phone, struct sl_sha256 *sha)
{
    char text[SL_PROBE_PHONE_BYTES + SL_PROBE_BUILD_BYTES + 64];
    int len =
        snprintf(text, sizeof(text), "phone %s\n%s\n%s\n", phone->id, phone->build, SL_VERSION);
    sl_sha256_update(sha, text, (size_t)len);
}

int sl_probe_fingerprint(const char *root, char out[SL_PROBE_FINGERPRINT_BYTES],
                         char out_phone[SL_PROBE_PHONE_BYTES])
{
    char text[SL_SHA256_HEX_SIZE + 128], isa[128];
    struct utsname name = {.sysname = ""};
    struct sl_sha256 sha;
    struct sl_probe_phone phone = {.id = ""};
    struct sl_probe_cores *cores = sl_malloc(1, sizeof(*cores));
    if (!cores)
        return -ENOMEM;
    uname(&name);
    sl_isa_format(sl_isa_detect(), isa, sizeof(isa));
    int len =
        snprintf(text, sizeof(text), "%.64s\n%s\n%zu\n", name.sysname, isa, sl_isa_svl_bytes());
    sl_sha256_init(&sha);
    sl_sha256_update(&sha, text, (size_t)len);
    sl_device_read_cores(root, cores);
    if (sl_probe_phone_read(root, &phone))
        digest_phone(&phone, &sha);
    else
        digest_cores(root, cores, &sha);
    sl_sha256_final_hex(&sha, text);
    snprintf(out, SL_PROBE_FINGERPRINT_BYTES, "%.16s", text);
    snprintf(out_phone, SL_PROBE_PHONE_BYTES, "%s", phone.id);
    sl_free(cores);
    return 0;
}

static void put_kernel(const char *root, struct sl_json *json)
{
    struct utsname name;
    sl_json_open_object(json, "system");
    bool known = uname(&name) >= 0;
    sl_json_text(json, "sysname", known ? name.sysname : NULL);
    sl_json_text(json, "release", known ? name.release : NULL);
    sl_json_text(json, "version", known ? name.version : NULL);
    sl_json_text(json, "machine", known ? name.machine : NULL);
    sl_device_put_system(root, json);
    sl_json_close_object(json);
}

static void put_kernels(struct sl_json *json)
{
    struct sl_kernel_entry kernel = {0};
    char words[128];
    sl_json_open_array(json, "kernels");
    while (sl_kernel_list_next(&kernel)) {
        sl_isa_format(kernel.needs, words, sizeof(words));
        sl_json_open_object(json, NULL);
        sl_json_text(json, "family", kernel.family);
        sl_json_text(json, "name", kernel.name);
        sl_json_text(json, "needs", words);
        sl_json_bool(json, "usable", (kernel.needs & ~sl_isa_detect()) == 0);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

int sl_probe_write(const char *root, struct sl_buf *out)
{
    struct sl_json json;
    char fingerprint[SL_PROBE_FINGERPRINT_BYTES], phone[SL_PROBE_PHONE_BYTES],
        board[SL_PROBE_BOARD_BYTES];
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.probe/1");
    sl_json_text(&json, "agent_version", SL_VERSION);
    int rc = sl_probe_fingerprint(root, fingerprint, phone);
    sl_json_text(&json, "fingerprint", rc == 0 ? fingerprint : NULL);
    sl_json_text(&json, "phone", rc == 0 ? or_null(phone) : NULL);
    sl_json_text(&json, "board_id", sl_probe_board_read(root, board) ? board : NULL);
    put_kernel(root, &json);
    put_soc(root, &json);
    sl_device_put_hwcap2(&json);
    put_isa(&json);
    if (rc == 0)
        rc = put_cores(root, &json);
    sl_device_put_memory(root, &json);
    sl_device_put_thermal(root, &json);
    put_kernels(&json);
    sl_json_close_object(&json);
    return rc < 0 ? rc : json.error;
}

int sl_probe_main(int argc, char **argv)
{
    struct sl_buf text;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            sl_say(stdout,
                   "usage: sme2lab-agent probe [--json]\n\n"
                   "Prints as JSON what this device is: SoC, cores and clusters, instruction "
                   "sets,\n"
                   "streaming vector lengths, memory, kernel and whether it is built with SME, "
                   "thermal\n"
                   "zones, and the kernels in this program with their needs. What is not known is "
                   "null.\n");
            return 0;
        }
        if (strcmp(argv[i], "--json") != 0) {
            sl_say(stderr, "sme2lab-agent: probe does not take '%s': say probe [--json]\n",
                   argv[i]);
            return EXIT_USAGE;
        }
    }
    sl_buf_init(&text, MAX_PROBE_BYTES);
    int rc = sl_probe_write("", &text);
    if (rc == 0)
        rc = sl_buf_print_line(&text);
    sl_buf_fini(&text);
    if (rc < 0)
        sl_say(stderr, "sme2lab-agent: the probe cannot be printed: %s\n", sl_strerror(rc));
    return rc < 0 ? EXIT_DEFECT : 0;
}
