/* host/spec/host_config.c */
#include "host/spec/host_config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/device_kind.h"
#include "host/spec/host_url.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    DEFAULT_LOG_MIB = 16,
    MAX_IDLE_SECONDS = 7 * 24 * 3600,
    MAX_CONFIG_BYTES = 1 << 20,
    HOOK_SECONDS = 60,
    MAX_HOOK_SECONDS = 3600,
    PAUSE_SECONDS = 5,
    LEASE_SECONDS = 30,
    MAX_LEASE_SECONDS = 3600,
    MAX_PAUSE_SECONDS = 600,
    KEEPER_SECONDS = 3600,
    MAX_KEEPER_SECONDS = 24 * 3600,
    MAX_DAYS = 36500,
    MAX_RUNS = 1000000,
    MAX_MIB = 1 << 30,
    MAX_REQUESTS = 1000000,
    MAX_AT_ONCE = 5120 /* as many as all addresses serve */
};

static const char *const host_keys[] = {"state",
                                        "store",
                                        "store_reader",
                                        "listen",
                                        "allow_remote",
                                        "tls",
                                        "peers",
                                        "devices",
                                        "log_file",
                                        "log_max_mib",
                                        "idle_exit_seconds",
                                        "lease_seconds",
                                        "agents_on_demand",
                                        "adb",
                                        "allow_runners",
                                        "recovery",
                                        "plugins",
                                        "retention",
                                        "disk",
                                        "requests_per_second",
                                        "requests_at_once",
                                        "cors_origins"};
static const char *const tls_keys[] = {"certificate", "key"};
static const char *const peers_keys[] = {"url", "certificates"};
static const char *const retention_keys[] = {"days", "newest_per_series", "most_per_series",
                                             "keep_labels", "every_seconds"};
static const char *const disk_keys[] = {"budget_mib", "reserve_mib"};
static const char *const recovery_keys[] = {"hook", "hook_seconds", "pause_seconds"};
static const char *const device_keys[] = {
    "name", "kind", "svl", "cpu", "link", "secret_file", "allow_unencrypted", "tags"};

void sl_host_config_init(struct sl_host_config *config)
{
    *config = (struct sl_host_config){.log_max_mib = DEFAULT_LOG_MIB,
                                      .device_count = 1,
                                      .hook_seconds = HOOK_SECONDS,
                                      .keep_newest = 1,
                                      .keeper_seconds = KEEPER_SECONDS,
                                      .pause_seconds = PAUSE_SECONDS,
                                      .lease_seconds = LEASE_SECONDS};
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

/* A file that is there whatever folder the daemon was started in. */
static const char *read_absolute(const struct sl_json_at *object, const char *key)
{
    struct sl_json_at at = sl_json_member(object, key);
    const char *path = sl_json_get_text(at);
    if (!at.value)
        sl_json_refuse(object, "\"%s\" is missing", key);
    else if (path && path[0] != '/')
        sl_json_refuse(&at, "'%.100s' is no absolute path", path);
    return path;
}

static void read_tls(const struct sl_json_at *object, struct sl_host_config *out)
{
    if (!object->value)
        return;
    sl_json_need_object(object, tls_keys, COUNT(tls_keys), 0);
    sl_json_hint(object, "say {\"certificate\": \"/PATH.pem\", \"key\": \"/PATH.pem\"}");
    out->certificate = read_absolute(object, "certificate");
    out->key = read_absolute(object, "key");
}

/* How the hosts of a shared store reach each other. */
static void read_peers(const struct sl_json_at *object, struct sl_host_config *out)
{
    if (!object->value)
        return;
    sl_json_need_object(object, peers_keys, COUNT(peers_keys), 0);
    struct sl_json_at url = sl_json_member(object, "url");
    out->peer_url = sl_json_get_text(url);
    if (out->peer_url && !sl_host_url_ok(out->peer_url)) {
        sl_json_hint(&url, "say https://HOST:PORT, by which the other hosts reach this one");
        sl_json_refuse(&url, "'%.100s' is no address of a host", out->peer_url);
    }
    if (sl_json_member(object, "certificates").value)
        out->peer_certificates = read_absolute(object, "certificates");
}

/* Needs what read_tls() found. */
static void check_address(const struct sl_json_at *at, const char *address,
                          const struct sl_host_config *config)
{
    bool tls = strncmp(address, "tls:", 4) == 0;
    if (tls && !config->certificate) {
        sl_json_hint(at, "add \"tls\": {\"certificate\": FILE, \"key\": FILE}");
        sl_json_refuse(at, "'%.100s' needs a certificate", address);
    }
    if (tls || is_loopback(address) || config->allow_remote)
        return;
    sl_json_hint(at, "say tls:HOST:PORT and give \"tls\"; or add \"allow_remote\": true if other "
                     "machines shall reach the daemon without it");
    sl_json_refuse(at, "'%.100s' is reachable from other machines", address);
}

static void read_listen(const struct sl_json_at *root, struct sl_host_config *out)
{
    struct sl_json_at list = sl_json_member(root, "listen");
    sl_json_get_bool(sl_json_member(root, "allow_remote"), &out->allow_remote);
    if (!list.value)
        return;
    sl_json_need_array(&list, SL_HOST_MAX_LISTEN, "addresses");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        const char *address = out->listen[out->listen_count++] = sl_json_get_text(at);
        if (address)
            check_address(&at, address, out);
    }
}

static void read_origins(const struct sl_json_at *root, struct sl_host_config *out)
{
    struct sl_json_at list = sl_json_member(root, "cors_origins");
    if (!list.value)
        return;
    sl_json_need_array(&list, SL_WEB_MAX_ORIGINS, "origins");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        const char *origin = out->cors_origins[out->cors_origin_count++] = sl_json_get_text(at);
        const char *trouble = origin ? sl_web_origin_trouble(origin) : NULL;
        sl_json_hint(&at,
                     "say one as a browser does, https://lab.example or http://localhost:3000");
        if (trouble)
            sl_json_refuse(&at, "'%.80s' is no origin of a web page: %s", origin, trouble);
    }
}

static int read_kind(const struct sl_json_at *object)
{
    struct sl_json_at at = sl_json_member(object, "kind");
    const char *text = sl_json_get_text(at);
    int kind = text ? sl_device_kind_find(text) : 0;
    if (kind != 0)
        return kind;
    sl_json_hint(&at, "say local, emulated or counted");
    if (!at.value)
        sl_json_refuse(object, "A device needs a kind");
    sl_json_refuse(&at, "'%.60s' is no kind of device", text ? text : "");
    return 0;
}

/* An agent behind a link: the link's first word is the kind, adb-tcp and adb-usb too. */
static void read_link(const struct sl_json_at *object, struct sl_host_device *out)
{
    char kind[16] = "";
    struct sl_json_at link = sl_json_member(object, "link");
    out->way.link = sl_json_get_text(link);
    out->way.secret_file = sl_json_get_text(sl_json_member(object, "secret_file"));
    sl_json_get_bool(sl_json_member(object, "allow_unencrypted"), &out->way.allow_unencrypted);
    if (!out->way.link)
        return;
    snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(out->way.link, ":-"), out->way.link);
    out->way.kind = sl_device_kind_find(kind);
    if (sl_device_kind_traits(out->way.kind).needs_push)
        return;
    sl_json_hint(&link, "say tcp:HOST:PORT, adb:SERIAL, adb-usb:SERIAL or adb-tcp:HOST:PORT");
    sl_json_refuse(&link, "'%.60s' is no link to an agent", out->way.link);
}

/* How one gets to the device: a kind, or a link. */
static void read_way(const struct sl_json_at *object, struct sl_host_device *out)
{
    struct sl_json_at kind = sl_json_member(object, "kind");
    read_link(object, out);
    if (out->way.link && kind.value)
        sl_json_refuse(&kind, "A device with a link has no kind besides");
    if (out->way.link)
        return;
    out->way.kind = read_kind(object);
    if (sl_device_kind_traits(out->way.kind).needs_push)
        sl_json_refuse(&kind, "A device of kind %s is given by its link",
                       sl_device_kind_name(out->way.kind));
}

/* A name becomes part of paths, addresses and selectors. */
static bool is_device_name(const char *text)
{
    return text && text[0] && text[0] != '.' && strlen(text) < SL_NAME_BYTES &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(text);
}

/* Tags are words that people choose devices by. */
static void read_tags(const struct sl_json_at *object, char out[SL_TAGS_BYTES])
{
    struct sl_json_at list = sl_json_member(object, "tags");
    size_t length = 0;
    if (list.value)
        sl_json_need_array(&list, SL_HOST_MAX_TAGS, "tags");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        const char *tag = sl_json_get_text(at);
        if (!is_device_name(tag) || strlen(tag) >= SL_TAGS_BYTES / SL_HOST_MAX_TAGS) {
            sl_json_refuse(&at, "A tag is letters, digits, '.', '_' and '-', at most %d",
                           SL_TAGS_BYTES / SL_HOST_MAX_TAGS - 1);
            return;
        }
        length += (size_t)snprintf(out + length, SL_TAGS_BYTES - length, "%s%s",
                                   length > 0 ? "," : "", tag);
    }
}

static void read_device(const struct sl_json_at *at, struct sl_host_config *out)
{
    struct sl_host_device *device = &out->devices[out->device_count];
    struct sl_json_at name = sl_json_member(at, "name"), svl = sl_json_member(at, "svl");
    *device = (struct sl_host_device){.way.svl_bits = 512};
    sl_json_need_object(at, device_keys, COUNT(device_keys), 0);
    device->name = sl_json_get_text(name);
    if (!is_device_name(device->name))
        sl_json_refuse(name.value ? &name : at,
                       "A device's name is letters, digits, '.', '_' and '-', at most %d",
                       SL_NAME_BYTES - 1);
    for (size_t i = 0; device->name && i < out->device_count; i++) {
        if (strcmp(out->devices[i].name, device->name) == 0)
            sl_json_refuse(&name, "Two devices are named '%s'", device->name);
    }
    read_way(at, device);
    read_tags(at, device->tags);
    device->way.cpu = sl_json_get_text(sl_json_member(at, "cpu"));
    sl_json_get_integer(svl, 128, 2048, &device->way.svl_bits);
    if ((device->way.svl_bits & (device->way.svl_bits - 1)) != 0)
        sl_json_refuse(&svl, "A streaming vector length is 128, 256, 512, 1024 or 2048 bits");
    out->device_count++;
}

static void read_devices(const struct sl_json_at *root, struct sl_host_config *out)
{
    struct sl_json_at list = sl_json_member(root, "devices");
    if (!list.value)
        return;
    out->device_count = 0;
    sl_json_need_array(&list, SL_MAX_DEVICES, "devices");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at))
        read_device(&at, out);
}

/* How a device that fell out is brought back. */
static void read_recovery(const struct sl_json_at *object, struct sl_host_config *out)
{
    struct sl_json_at hook = sl_json_member(object, "hook");
    if (!object->value)
        return;
    sl_json_need_object(object, recovery_keys, COUNT(recovery_keys), 0);
    if (hook.value)
        sl_json_need_array(&hook, SL_HOST_MAX_HOOK, "words");
    for (struct sl_json_at at = sl_json_first(&hook); sl_json_more(&at); sl_json_next(&at)) {
        const char *word = out->hook[out->hook_words++] = sl_json_get_text(at);
        if (word && out->hook_words == 1 && word[0] != '/')
            sl_json_refuse(&at, "A hook's program is an absolute path");
    }
    sl_json_get_integer(sl_json_member(object, "hook_seconds"), 1, MAX_HOOK_SECONDS,
                        &out->hook_seconds);
    sl_json_get_integer(sl_json_member(object, "pause_seconds"), 1, MAX_PAUSE_SECONDS,
                        &out->pause_seconds);
}

/* "KEY=VALUE" or "KEY". */
static bool is_label(const char *text)
{
    size_t len = text ? strcspn(text, "=") : 0;
    return len > 0 && len < SL_NAME_BYTES &&
           (text[len] == '\0' || (text[len + 1] && strlen(text + len + 1) < SL_LABEL_BYTES));
}

static void read_retention(const struct sl_json_at *object, struct sl_host_config *out)
{
    struct sl_json_at list = sl_json_member(object, "keep_labels");
    if (!object->value)
        return;
    sl_json_need_object(object, retention_keys, COUNT(retention_keys), 0);
    sl_json_get_integer(sl_json_member(object, "days"), 0, MAX_DAYS, &out->keep_days);
    sl_json_get_integer(sl_json_member(object, "newest_per_series"), 0, MAX_RUNS,
                        &out->keep_newest);
    sl_json_get_integer(sl_json_member(object, "most_per_series"), 0, MAX_RUNS, &out->keep_at_most);
    sl_json_get_integer(sl_json_member(object, "every_seconds"), 1, MAX_KEEPER_SECONDS,
                        &out->keeper_seconds);
    if (list.value)
        sl_json_need_array(&list, SL_HOST_MAX_KEEP_LABELS, "labels");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        const char *label = out->keep_labels[out->keep_label_count++] = sl_json_get_text(at);
        sl_json_hint(&at, "say \"branch=main\", or \"release\" for any value");
        if (label && !is_label(label))
            sl_json_refuse(&at, "'%.60s' is no label", label);
    }
}

static void read_disk(const struct sl_json_at *object, struct sl_host_config *out)
{
    if (!object->value)
        return;
    sl_json_need_object(object, disk_keys, COUNT(disk_keys), 0);
    sl_json_get_integer(sl_json_member(object, "budget_mib"), 0, MAX_MIB, &out->budget_mib);
    sl_json_get_integer(sl_json_member(object, "reserve_mib"), 0, MAX_MIB, &out->reserve_mib);
}

static void read_root(const struct sl_json_at *root, struct sl_host_config *out)
{
    sl_json_need_object(root, host_keys, COUNT(host_keys), 0);
    struct sl_json_at tls = sl_json_member(root, "tls");
    read_tls(&tls, out);
    struct sl_json_at peers = sl_json_member(root, "peers");
    read_peers(&peers, out);
    read_listen(root, out);
    read_devices(root, out);
    struct sl_json_at recovery = sl_json_member(root, "recovery");
    read_recovery(&recovery, out);
    struct sl_json_at plugins = sl_json_member(root, "plugins");
    out->plugin_count = sl_plugin_configs_read(&plugins, out->plugins);
    struct sl_json_at retention = sl_json_member(root, "retention");
    read_retention(&retention, out);
    struct sl_json_at disk = sl_json_member(root, "disk");
    read_disk(&disk, out);
    out->state = sl_json_get_text(sl_json_member(root, "state"));
    out->store = sl_json_get_text(sl_json_member(root, "store"));
    out->store_reader = sl_json_get_text(sl_json_member(root, "store_reader"));
    sl_json_get_bool(sl_json_member(root, "agents_on_demand"), &out->agents_on_demand);
    sl_json_get_bool(sl_json_member(root, "adb"), &out->adb);
    sl_json_get_bool(sl_json_member(root, "allow_runners"), &out->allow_runners);
    sl_json_get_integer(sl_json_member(root, "requests_per_second"), 0, MAX_REQUESTS,
                        &out->requests_per_second);
    sl_json_get_integer(sl_json_member(root, "requests_at_once"), 1, MAX_AT_ONCE,
                        &out->requests_at_once);
    read_origins(root, out);
    out->log_file = sl_json_get_text(sl_json_member(root, "log_file"));
    sl_json_get_integer(sl_json_member(root, "log_max_mib"), 1, 4096, &out->log_max_mib);
    sl_json_get_integer(sl_json_member(root, "idle_exit_seconds"), 0, MAX_IDLE_SECONDS,
                        &out->idle_exit_seconds);
    sl_json_get_integer(sl_json_member(root, "lease_seconds"), 1, MAX_LEASE_SECONDS,
                        &out->lease_seconds);
}

int sl_host_config_parse(struct sl_bytes text, const char *file, struct sl_host_config *out,
                         struct sl_diag *diag)
{
    struct sl_host_config config;
    sl_host_config_init(&config);
    int rc = sl_json_doc_parse(text, file, &config.document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, config.document);
    read_root(&root, &config);
    if (reader.error < 0)
        sl_host_config_fini(&config);
    else
        *out = config;
    return reader.error;
}

int sl_host_device_parse(struct sl_bytes text, const char *file, struct sl_host_device *out,
                         struct cJSON **out_document, struct sl_diag *diag)
{
    struct sl_host_config config = {.device_count = 0};
    struct cJSON *document = NULL;
    int rc = sl_json_doc_parse(text, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_device(&root, &config);
    if (reader.error < 0) {
        sl_json_doc_free(document);
        return reader.error;
    }
    *out = config.devices[0];
    *out_document = document;
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
