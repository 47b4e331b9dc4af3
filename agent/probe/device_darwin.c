/* agent/probe/device_darwin.c: by sysctl, and by notifications for how hot it is. */
#include "agent/probe/device.h"

#include <mach/mach.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/probe/cores.h"
#include "agent/probe/sysctl.h"
#include "common/base/json.h"

enum { MAX_LEVELS = 8 };

/* Stand in <notify.h>, which cross compilers lack. */
uint32_t notify_register_check(const char *name, int *out_token);
uint32_t notify_get_state(int token, uint64_t *out_state);
uint32_t notify_cancel(int token);

void sl_device_read_soc(const char *root, struct sl_device_soc *out)
{
    (void)root;
    *out = (struct sl_device_soc){.id = ""};
    sl_sysctl_text("machdep.cpu.brand_string", out->id, sizeof(out->id));
    sl_sysctl_text("hw.model", out->board, sizeof(out->board));
}

static int64_t count_of(const char *name)
{
    int64_t count = 0;
    return sl_sysctl_number(name, &count) && count > 0 ? count : 0;
}

/* The cores of one performance level, of which 0 is the fastest. */
static void list_level(int64_t level, int64_t levels, struct sl_probe_cores *out)
{
    char name[64];
    struct sl_probe_core core = {.online = true,
                                 .max_khz = SL_PROBE_UNKNOWN,
                                 .capacity = SL_PROBE_UNKNOWN,
                                 .cluster_id = SL_PROBE_UNKNOWN,
                                 .midr = SL_PROBE_UNKNOWN,
                                 .rank = levels - level};
    snprintf(name, sizeof(name), "hw.perflevel%d.name", (int)level);
    sl_sysctl_text(name, core.kind, sizeof(core.kind));
    snprintf(name, sizeof(name), "hw.perflevel%d.logicalcpu_max", (int)level);
    for (int64_t left = count_of(name); left > 0 && out->count < SL_PROBE_MAX_CORES; left--) {
        core.index = (uint32_t)out->count;
        out->core[out->count++] = core;
    }
}

/* macOS tells no core's number: here the slowest come first. */
void sl_device_read_cores(const char *root, struct sl_probe_cores *out)
{
    int64_t levels = count_of("hw.nperflevels");
    (void)root;
    levels = levels < MAX_LEVELS ? levels : MAX_LEVELS;
    memset(out, 0, sizeof(*out));
    for (int64_t level = levels; level-- > 0;)
        list_level(level, levels, out);
    sl_probe_cores_group(out);
}

void sl_device_put_hwcap2(struct sl_json *json)
{
    sl_json_null(json, "hwcap2");
}

/* How far the system slows things down because of heat. */
static const char *thermal_pressure(void)
{
    static const char *const words[] = {"nominal", "moderate", "heavy", "trapping", "sleeping"};
    uint64_t state = 0;
    int token;
    if (notify_register_check("com.apple.system.thermalpressurelevel", &token) != 0)
        return NULL;
    bool known = notify_get_state(token, &state) == 0 && state < sizeof(words) / sizeof(words[0]);
    notify_cancel(token);
    return known ? words[state] : NULL;
}

static void put_text(struct sl_json *json, const char *key, const char *name)
{
    char text[128];
    sl_sysctl_text(name, text, sizeof(text));
    sl_json_text(json, key, text[0] ? text : NULL);
}

void sl_device_put_system(const char *root, struct sl_json *json)
{
    (void)root;
    put_text(json, "product_version", "kern.osproductversion");
    put_text(json, "build", "kern.osversion");
    sl_json_text(json, "thermal_pressure", thermal_pressure());
    sl_json_null(json, "config_sme");
}

void sl_device_put_memory(const char *root, struct sl_json *json)
{
    vm_statistics64_data_t pages;
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    int64_t total;
    (void)root;
    sl_json_open_object(json, "memory");
    if (sl_sysctl_number("hw.memsize", &total))
        sl_json_i64(json, "total_bytes", total);
    else
        sl_json_null(json, "total_bytes");
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64, (host_info64_t)&pages, &count) == 0)
        sl_json_u64(json, "available_bytes",
                    ((uint64_t)pages.free_count + pages.inactive_count) * page_bytes);
    else
        sl_json_null(json, "available_bytes");
    sl_json_u64(json, "page_bytes", page_bytes);
    sl_json_close_object(json);
}

/* It shows no temperatures to a program without rights. */
void sl_device_put_thermal(const char *root, struct sl_json *json)
{
    (void)root;
    sl_json_open_array(json, "thermal_zones");
    sl_json_close_array(json);
}

bool sl_device_is_emulated(void)
{
    return false;
}
