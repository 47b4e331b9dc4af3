/* host/spec/host_config.c */
#include "host/spec/host_config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_doc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { DEFAULT_LOG_MIB = 16, MAX_IDLE_SECONDS = 7 * 24 * 3600, MAX_CONFIG_BYTES = 1 << 20 };

static const char *const host_keys[] = {
    "state",    "listen",       "allow_remote",      "devices",
    "log_file", "log_max_mib",  "idle_exit_seconds", "agents_on_demand",
    "adb",      "allow_runners"};
static const char *const device_keys[] = {
    "name", "kind", "svl", "cpu", "link", "secret_file", "allow_unencrypted"};

void sl_host_config_init(struct sl_host_config *config)
{
    *config = (struct sl_host_config){.log_max_mib = DEFAULT_LOG_MIB, .device_count = 1};
    config->devices[0] = (struct sl_host_device){
        .name = "counted-512", .way = {.kind = SL_DEVICE_COUNTED, .svl_bits = 512}};
}

void sl_host_config_fini(struct sl_host_config *config)
{
    sl_json_doc_free(config->document);
    config->document = NULL;
}

static bool is_loopback(const char *address)
{
    return strncmp(address, "tcp:", 4) != 0 || strncmp(address, "tcp:127.", 8) == 0 ||
           strncmp(address, "tcp:[::1]:", 10) == 0 || strncmp(address, "tcp:localhost:", 14) == 0;
}

static int read_listen(const struct sl_json_at *root, struct sl_host_config *out,
                       struct sl_diag *diag)
{
    struct sl_json_at list = sl_json_member(root, "listen");
    struct sl_json_at allowed = sl_json_member(root, "allow_remote");
    int rc = sl_json_get_bool(&allowed, &out->allow_remote, diag);
    if (rc < 0 || !list.value)
        return rc;
    rc = sl_json_need_array(&list, diag);
    if (rc == 0 && sl_json_size(&list) > SL_HOST_MAX_LISTEN)
        rc = sl_json_refuse(&list, diag, "More than %d addresses", SL_HOST_MAX_LISTEN);
    for (size_t i = 0; rc == 0 && i < sl_json_size(&list); i++) {
        struct sl_json_at item = sl_json_item(&list, i);
        rc = sl_json_get_text(&item, &out->listen[i], diag);
        if (rc == 0 && !is_loopback(out->listen[i]) && !out->allow_remote) {
            sl_diag_hint(diag,
                         "add \"allow_remote\": true if other machines shall reach the daemon");
            rc = sl_json_refuse(&item, diag, "'%.100s' is reachable from other machines",
                                out->listen[i]);
        }
        out->listen_count = i + 1;
    }
    return rc;
}

static int read_kind(const struct sl_json_at *object, int *out, struct sl_diag *diag)
{
    const char *text = NULL;
    struct sl_json_at at = sl_json_member(object, "kind");
    int rc = sl_json_get_text(&at, &text, diag);
    *out = rc == 0 && text ? sl_device_kind_find(text) : 0;
    if (rc < 0 || *out != 0)
        return rc;
    sl_diag_hint(diag, "say local, emulated or counted");
    if (!text)
        return sl_json_refuse(object, diag, "A device needs a kind");
    return sl_json_refuse(&at, diag, "'%.60s' is no kind of device", text);
}

/* An agent behind a link: the link's first word is the kind, adb-tcp too. */
static int read_link(const struct sl_json_at *object, struct sl_host_device *out,
                     struct sl_diag *diag)
{
    char kind[16] = "";
    struct sl_json_at link = sl_json_member(object, "link"),
                      file = sl_json_member(object, "secret_file"),
                      allowed = sl_json_member(object, "allow_unencrypted");
    int rc = sl_json_get_text(&link, &out->way.link, diag);
    if (rc == 0)
        rc = sl_json_get_text(&file, &out->way.secret_file, diag);
    if (rc == 0)
        rc = sl_json_get_bool(&allowed, &out->way.allow_unencrypted, diag);
    if (rc < 0 || !out->way.link)
        return rc;
    snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(out->way.link, ":-"), out->way.link);
    out->way.kind = sl_device_kind_find(kind);
    if (sl_device_kind_traits(out->way.kind).needs_push)
        return 0;
    sl_diag_hint(diag, "say tcp:HOST:PORT, adb:SERIAL or adb-tcp:HOST:PORT");
    return sl_json_refuse(&link, diag, "'%.60s' is no link to an agent", out->way.link);
}

/* How one gets to the device: a kind, or a link. */
static int read_way(const struct sl_json_at *object, struct sl_host_device *out,
                    struct sl_diag *diag)
{
    struct sl_json_at kind = sl_json_member(object, "kind");
    int rc = read_link(object, out, diag);
    if (rc < 0 || (out->way.link && !kind.value))
        return rc;
    if (out->way.link)
        return sl_json_refuse(&kind, diag, "A device with a link has no kind besides");
    rc = read_kind(object, &out->way.kind, diag);
    if (rc == 0 && sl_device_kind_traits(out->way.kind).needs_push)
        rc = sl_json_refuse(&kind, diag, "A device of kind %s is given by its link",
                            sl_device_kind_name(out->way.kind));
    return rc;
}

/* A name becomes part of paths, addresses and selectors. */
static bool is_device_name(const char *text)
{
    return text && text[0] && text[0] != '.' && strlen(text) < SL_NAME_BYTES &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(text);
}

static int read_device(const struct sl_json_at *at, struct sl_host_config *out,
                       struct sl_diag *diag)
{
    struct sl_host_device *device = &out->devices[out->device_count];
    *device = (struct sl_host_device){.way.svl_bits = 512};
    int rc = sl_json_need_object(at, diag);
    if (rc == 0)
        rc = sl_json_check_keys(at, device_keys, COUNT(device_keys), diag);
    if (rc < 0)
        return rc;
    struct sl_json_at name = sl_json_member(at, "name"), svl = sl_json_member(at, "svl"),
                      cpu = sl_json_member(at, "cpu");
    rc = sl_json_get_text(&name, &device->name, diag);
    if (rc == 0 && !is_device_name(device->name))
        rc = sl_json_refuse(name.value ? &name : at, diag,
                            "A device's name is letters, digits, '.', '_' and '-', at most %d",
                            SL_NAME_BYTES - 1);
    for (size_t i = 0; rc == 0 && i < out->device_count; i++) {
        if (strcmp(out->devices[i].name, device->name) == 0)
            rc = sl_json_refuse(&name, diag, "Two devices are named '%s'", device->name);
    }
    if (rc == 0)
        rc = read_way(at, device, diag);
    if (rc == 0)
        rc = sl_json_get_text(&cpu, &device->way.cpu, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&svl, 128, 2048, &device->way.svl_bits, diag);
    if (rc == 0 && (device->way.svl_bits & (device->way.svl_bits - 1)) != 0)
        rc = sl_json_refuse(&svl, diag,
                            "A streaming vector length is 128, 256, 512, 1024 or 2048 bits");
    if (rc == 0)
        out->device_count++;
    return rc;
}

static int read_devices(const struct sl_json_at *root, struct sl_host_config *out,
                        struct sl_diag *diag)
{
    struct sl_json_at list = sl_json_member(root, "devices");
    if (!list.value)
        return 0;
    out->device_count = 0;
    int rc = sl_json_need_array(&list, diag);
    if (rc == 0 && sl_json_size(&list) > SL_HOST_MAX_DEVICES)
        rc = sl_json_refuse(&list, diag, "More than %d devices", SL_HOST_MAX_DEVICES);
    for (size_t i = 0; rc == 0 && i < sl_json_size(&list); i++) {
        struct sl_json_at item = sl_json_item(&list, i);
        rc = read_device(&item, out, diag);
    }
    return rc;
}

static int read_rest(const struct sl_json_at *root, struct sl_host_config *out,
                     struct sl_diag *diag)
{
    struct sl_json_at state = sl_json_member(root, "state"),
                      log_file = sl_json_member(root, "log_file");
    struct sl_json_at mib = sl_json_member(root, "log_max_mib"),
                      idle = sl_json_member(root, "idle_exit_seconds"),
                      on_demand = sl_json_member(root, "agents_on_demand"),
                      adb = sl_json_member(root, "adb"),
                      runners = sl_json_member(root, "allow_runners");
    int rc = sl_json_get_text(&state, &out->state, diag);
    if (rc == 0)
        rc = sl_json_get_bool(&on_demand, &out->agents_on_demand, diag);
    if (rc == 0)
        rc = sl_json_get_bool(&adb, &out->adb, diag);
    if (rc == 0)
        rc = sl_json_get_bool(&runners, &out->allow_runners, diag);
    if (rc == 0)
        rc = sl_json_get_text(&log_file, &out->log_file, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&mib, 1, 4096, &out->log_max_mib, diag);
    return rc == 0 ? sl_json_get_integer(&idle, 0, MAX_IDLE_SECONDS, &out->idle_exit_seconds, diag)
                   : rc;
}

int sl_host_config_parse(struct sl_bytes text, const char *file, struct sl_host_config *out,
                         struct sl_diag *diag)
{
    struct sl_host_config config;
    sl_host_config_init(&config);
    int rc = sl_json_doc_parse(text, file, &config.document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(config.document);
    rc = sl_json_need_object(&root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&root, host_keys, COUNT(host_keys), diag);
    if (rc == 0)
        rc = read_listen(&root, &config, diag);
    if (rc == 0)
        rc = read_devices(&root, &config, diag);
    if (rc == 0)
        rc = read_rest(&root, &config, diag);
    if (rc < 0) {
        sl_host_config_fini(&config);
        return rc;
    }
    *out = config;
    return 0;
}

int sl_host_config_read(const char *path, struct sl_host_config *out, struct sl_diag *diag)
{
    struct sl_buf text;
    sl_host_config_init(out);
    if (!path)
        return 0;
    int rc = sl_buf_read_file(path, MAX_CONFIG_BYTES, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "configs/host.json is an example");
        return sl_diag_set(diag, -EINVAL, path, "cannot read the configuration: %s",
                           sl_strerror(rc));
    }
    rc = sl_host_config_parse((struct sl_bytes){text.data, text.size}, path, out, diag);
    sl_buf_fini(&text);
    return rc;
}
