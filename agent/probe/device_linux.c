/* agent/probe/device_linux.c: out of /sys, /proc and the auxiliary vector. */
#include "agent/probe/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "agent/probe/cores.h"
#include "agent/probe/gunzip.h"
#include "agent/probe/sysfs.h"
#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/base/path.h"

#define CPU_FOLDER "sys/devices/system/cpu"

enum { MAX_CONFIG_BYTES = 1 << 20, MAX_ZONES = 128 };

static bool read_list(const char *root, const char *name, bool flags[SL_SYSFS_MAX_INDEX])
{
    char text[SL_SYSFS_TEXT_BYTES];
    memset(flags, 0, SL_SYSFS_MAX_INDEX * sizeof(flags[0]));
    return sl_sysfs_line(root, text, sizeof(text), CPU_FOLDER "/%s", name) &&
           sl_sysfs_parse_list(text, strlen(text), flags);
}

static int64_t read_number(const char *root, uint32_t index, const char *name)
{
    int64_t value;
    if (!sl_sysfs_number(root, &value, CPU_FOLDER "/cpu%" PRIu32 "/%s", index, name) || value < 0)
        return SL_PROBE_UNKNOWN;
    return value;
}

static void read_core(const char *root, struct sl_probe_core *core)
{
    core->max_khz = read_number(root, core->index, "cpufreq/cpuinfo_max_freq");
    core->capacity = read_number(root, core->index, "cpu_capacity");
    core->cluster_id = read_number(root, core->index, "topology/cluster_id");
    if (core->cluster_id < 0)
        core->cluster_id = read_number(root, core->index, "topology/physical_package_id");
    core->midr = read_number(root, core->index, "regs/identification/midr_el1");
}

void sl_device_read_cores(const char *root, struct sl_probe_cores *out)
{
    bool possible[SL_SYSFS_MAX_INDEX], online[SL_SYSFS_MAX_INDEX];
    uint32_t indices[SL_PROBE_MAX_CORES];
    memset(out, 0, sizeof(*out));
    bool know_possible = read_list(root, "possible", possible);
    bool know_online = read_list(root, "online", online);
    if (!know_possible) {
        size_t count = sl_sysfs_indices(root, CPU_FOLDER, "cpu", indices, SL_PROBE_MAX_CORES);
        for (size_t i = 0; i < count; i++)
            possible[indices[i]] = true;
    }
    for (uint32_t i = 0; i < SL_SYSFS_MAX_INDEX && out->count < SL_PROBE_MAX_CORES; i++) {
        if (!possible[i] && !online[i])
            continue;
        struct sl_probe_core *core = &out->core[out->count++];
        *core = (struct sl_probe_core){.index = i, .rank = SL_PROBE_UNKNOWN};
        core->online = know_online ? online[i] : true;
        read_core(root, core);
    }
    sl_probe_cores_group(out);
}

/* Writes HWCAP2 as the kernel gives it. */
void sl_device_put_hwcap2(struct sl_json *json)
{
#if defined(__aarch64__)
    char text[24];
    snprintf(text, sizeof(text), "0x%lx", getauxval(AT_HWCAP2));
    sl_json_text(json, "hwcap2", text);
#else
    sl_json_null(json, "hwcap2");
#endif
}

void sl_device_read_soc(const char *root, struct sl_device_soc *out)
{
    *out = (struct sl_device_soc){.id = ""};
    sl_sysfs_line(root, out->id, sizeof(out->id), "sys/devices/soc0/soc_id");
    sl_sysfs_line(root, out->machine, sizeof(out->machine), "sys/devices/soc0/machine");
    sl_sysfs_line(root, out->board, sizeof(out->board), "sys/firmware/devicetree/base/model");
}

void sl_device_put_memory(const char *root, struct sl_json *json)
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
void sl_device_put_system(const char *root, struct sl_json *json)
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

/* Temperatures are thousandths of a degree Celsius, as the kernel gives them. */
void sl_device_put_thermal(const char *root, struct sl_json *json)
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

bool sl_device_is_emulated(void)
{
#if defined(__aarch64__)
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
