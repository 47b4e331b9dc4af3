/* agent/probe/probe.c */
#include "agent/probe/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "agent/probe/board.h"
#include "agent/probe/cores.h"
#include "agent/probe/gunzip.h"
#include "agent/probe/kernel_list.h"
#include "agent/probe/phone.h"
#include "agent/probe/sysfs.h"
#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "kernels/cpu/isa.h"

enum {
    MAX_PROBE_BYTES = 1 << 20,
    MAX_CONFIG_BYTES = 1 << 20,
    MAX_ZONES = 128,
    EXIT_USAGE = 2,
    EXIT_DEFECT = 6
};

static void put_known(struct sl_json *json, const char *key, int64_t value)
{
    if (value == SL_PROBE_UNKNOWN)
        sl_json_null(json, key);
    else
        sl_json_i64(json, key, value);
}

static void put_midr(struct sl_json *json, int64_t midr)
{
    char text[24];
    snprintf(text, sizeof(text), "0x%08" PRIx64, (uint64_t)midr);
    sl_json_text(json, "midr", midr == SL_PROBE_UNKNOWN ? NULL : text);
    sl_json_text(json, "type", sl_probe_core_name(midr));
}

static void put_core(const struct sl_probe_core *core, struct sl_json *json)
{
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "index", core->index);
    sl_json_bool(json, "online", core->online);
    sl_json_u64(json, "cluster", core->cluster);
    put_known(json, "max_khz", core->max_khz);
    put_known(json, "capacity", core->capacity);
    put_midr(json, core->midr);
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
    put_midr(json, first->midr);
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
    sl_probe_cores_read(root, cores);
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

/* Writes HWCAP2 as the kernel gives it. */
static void put_hwcap2(struct sl_json *json)
{
#if defined(__aarch64__) && defined(__linux__)
    char text[24];
    snprintf(text, sizeof(text), "0x%lx", getauxval(AT_HWCAP2));
    sl_json_text(json, "hwcap2", text);
#else
    sl_json_null(json, "hwcap2");
#endif
}

/* The names of the SoC and its board; "" where nothing says it. */
struct soc {
    char id[64], machine[64], board[64];
};

static void read_soc(const char *root, struct soc *out)
{
    *out = (struct soc){.id = ""};
    sl_sysfs_line(root, out->id, sizeof(out->id), "sys/devices/soc0/soc_id");
    sl_sysfs_line(root, out->machine, sizeof(out->machine), "sys/devices/soc0/machine");
    sl_sysfs_line(root, out->board, sizeof(out->board), "sys/firmware/devicetree/base/model");
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

/* A number, or who made it with a number, names no SoC to a person: then the machine does. */
static void put_soc(const char *root, struct sl_json *json)
{
    struct soc soc;
    read_soc(root, &soc);
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
    struct soc soc;
    read_soc(root, &soc);
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
    sl_probe_cores_read(root, cores);
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

static void put_memory(const char *root, struct sl_json *json)
{
    static const char *const keys[][2] = {{"total_bytes", "MemTotal"},
                                          {"available_bytes", "MemAvailable"}};
    char path[1024];
    struct sl_buf text = {0};
    int rc = -1;
    if (sl_path_join(path, sizeof(path), root, "proc/meminfo") == 0)
        rc = sl_buf_read_file(path, 65536, &text);
    sl_json_open_object(json, "memory");
    for (size_t i = 0; i < 2; i++) {
        uint64_t bytes;
        if (rc == 0 &&
            sl_sysfs_parse_meminfo((const char *)text.data, text.size, keys[i][1], &bytes))
            sl_json_u64(json, keys[i][0], bytes);
        else
            sl_json_null(json, keys[i][0]);
    }
    sl_json_u64(json, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
    sl_json_close_object(json);
    if (rc == 0)
        sl_buf_fini(&text);
}

/* Is the kernel built with SME? Null where it does not show what it was built of, and where it is
 * none of Arm's: an emulator runs on those. */
static void put_config(const char *root, struct sl_json *json)
{
    char path[1024];
    struct sl_buf file = {0}, text;
    int rc = sl_path_join(path, sizeof(path), root, "proc/config.gz");
    sl_buf_init(&text, MAX_CONFIG_BYTES);
    if (rc == 0)
        rc = sl_buf_read_file(path, MAX_CONFIG_BYTES, &file);
    if (rc == 0)
        rc = sl_gunzip((struct sl_bytes){file.data, file.size}, &text);
    const char *config = rc == 0 && text.size > 0 ? (const char *)text.data : "";
    if (strstr(config, "\nCONFIG_ARM64=y\n"))
        sl_json_bool(json, "config_sme", strstr(config, "\nCONFIG_ARM64_SME=y\n") != NULL);
    else
        sl_json_null(json, "config_sme");
    sl_buf_fini(&text);
    sl_buf_fini(&file);
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
    put_config(root, json);
    sl_json_close_object(json);
}

/* Temperatures are thousandths of a degree Celsius, as the kernel gives them. */
static void put_thermal(const char *root, struct sl_json *json)
{
    uint32_t zones[MAX_ZONES];
    size_t count = sl_sysfs_indices(root, "sys/class/thermal", "thermal_zone", zones, MAX_ZONES);
    sl_json_open_array(json, "thermal_zones");
    for (size_t i = 0; i < count; i++) {
        char type[64];
        int64_t temperature;
        bool typed = sl_sysfs_line(root, type, sizeof(type),
                                   "sys/class/thermal/thermal_zone%" PRIu32 "/type", zones[i]);
        bool read = sl_sysfs_number(root, &temperature,
                                    "sys/class/thermal/thermal_zone%" PRIu32 "/temp", zones[i]);
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "index", zones[i]);
        sl_json_text(json, "type", typed ? type : NULL);
        if (read)
            sl_json_i64(json, "millidegrees", temperature);
        else
            sl_json_null(json, "millidegrees");
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
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
    put_hwcap2(&json);
    put_isa(&json);
    if (rc == 0)
        rc = put_cores(root, &json);
    put_memory(root, &json);
    put_thermal(root, &json);
    put_kernels(&json);
    sl_json_close_object(&json);
    return rc < 0 ? rc : json.error;
}

bool sl_probe_is_emulated(void)
{
#if defined(__aarch64__) && defined(__linux__)
    enum {
        IDENTIFICATION_READABLE = 1 << 11 /* HWCAP_CPUID */,
        QEMU_MAX = 0x051 /* of nobody's */
    };
    uint64_t midr;
    if ((getauxval(AT_HWCAP) & IDENTIFICATION_READABLE) == 0)
        return false;
    __asm__("mrs %0, midr_el1" : "=r"(midr)); /* which the kernel reads for us */
    return midr >> 24 == 0 && (midr >> 4 & 0xfff) == QEMU_MAX;
#else
    return false;
#endif
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
