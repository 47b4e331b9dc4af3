/* host/daemon/roster.c */
#include "host/daemon/roster.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/daemon/describer.h"
#include "host/device/launch.h"
#include "host/job/device_life.h"
#include "host/job/devices.h"
#include "host/job/lab.h"
#include "host/spec/host_config.h"
#include "host/spec/json_doc.h"

enum { MAX_DEVICE_BYTES = 4096 };

struct entry {
    char name[SL_NAME_BYTES]; /* "": the place is free */
    struct sl_device_wish wish;
    bool added; /* by a person */
    char tags[SL_TAGS_BYTES];
    char link[128], secret_file[SL_PATH_BYTES], cpu[64]; /* the wish's texts */
};

struct sl_roster {
    struct sl_roster_options options;
    char folder[SL_PATH_BYTES]; /* of what persons added: a file for each, NAME.json */
    struct entry all[SL_MAX_DEVICES];
};

int sl_roster_new(const struct sl_roster_options *options, struct sl_roster **out)
{
    struct sl_roster *roster = sl_calloc(1, sizeof(*roster));
    if (!roster)
        return -ENOMEM;
    roster->options = *options;
    int rc = sl_path_join(roster->folder, sizeof(roster->folder), options->state_dir, "devices");
    if (rc < 0) {
        sl_free(roster);
        return rc;
    }
    *out = roster;
    return 0;
}

void sl_roster_free(struct sl_roster *roster)
{
    sl_free(roster);
}

static struct entry *find(struct sl_roster *roster, const char *name)
{
    for (size_t i = 0; i < SL_MAX_DEVICES; i++) {
        if (strcmp(roster->all[i].name, name) == 0)
            return &roster->all[i];
    }
    return NULL;
}

/* A text that is too long would be another link, or another file. */
static int keep(const char *text, char *out, size_t size, const char **member)
{
    *member = text ? out : NULL;
    return text && snprintf(out, size, "%s", text) >= (int)size ? SL_E_LIMIT : 0;
}

static int write_entry(struct entry *entry, const struct sl_host_device *device)
{
    struct entry made = {.wish = device->way};
    const char *unused;
    int rc = keep(device->way.link, made.link, sizeof(made.link), &unused);
    if (rc == 0)
        rc = keep(device->way.secret_file, made.secret_file, sizeof(made.secret_file), &unused);
    if (rc == 0)
        rc = keep(device->way.cpu, made.cpu, sizeof(made.cpu), &unused);
    if (rc == 0)
        rc = keep(device->name, made.name, sizeof(made.name), &unused);
    if (rc < 0)
        return rc;
    memcpy(made.tags, device->tags, sizeof(made.tags));
    *entry = made;
    entry->wish.link = device->way.link ? entry->link : NULL;
    entry->wish.secret_file = device->way.secret_file ? entry->secret_file : NULL;
    entry->wish.cpu = device->way.cpu ? entry->cpu : NULL;
    return 0;
}

static unsigned steps_of(const struct sl_roster *roster, const struct entry *entry)
{
    const struct sl_roster_options *options = &roster->options;
    const char *link = entry->wish.link ? entry->wish.link : "";
    bool hook = options->can_switch && options->can_switch(options->user, entry->name);
    return (strncmp(link, "adb:", 4) == 0 ? SL_STEP_PROBE | SL_STEP_ADB_RECONNECT : 0U) |
           (strncmp(link, "adb-usb:", 8) == 0 ? (unsigned)SL_STEP_USB_RESET : 0U) |
           (hook ? SL_STEP_HOOK : 0U);
}

static void tell_steps(const struct sl_roster *roster, const struct entry *entry)
{
    sl_lab_device_can(roster->options.lab, entry->name, steps_of(roster, entry),
                      roster->options.pause_seconds * 1000);
}

/* Tells the lab of the device, opened or not. */
static int show(struct sl_roster *roster, const struct entry *entry)
{
    struct sl_lab *lab = roster->options.lab;
    int rc = sl_lab_add_device(lab, entry->name, entry->wish.kind);
    if (rc == 0) {
        sl_lab_tag_device(lab, entry->name, entry->tags);
        tell_steps(roster, entry); /* the tags decide, too */
    }
    return rc;
}

static int cannot_open(struct sl_roster *roster, const struct entry *entry, int rc,
                       struct sl_diag *diag)
{
    char said[sizeof(diag->what) + sizeof(diag->hint) + 2];
    if (!diag->what[0])
        sl_diag_set(diag, rc, NULL, "%s", sl_strerror(rc));
    snprintf(said, sizeof(said), "%s%s%s", diag->what, diag->hint[0] ? ": " : "", diag->hint);
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("device_not_opened"), SL_LOG_DEVICE(entry->name),
           SL_LOG_REASON(said));
    if (sl_devices_has(roster->options.devices, entry->name))
        return rc; /* it goes on as it was */
    if (show(roster, entry) == 0)
        sl_lab_device_link(roster->options.lab, entry->name, SL_CAUSE_DEVICE_CANNOT_OPEN, said);
    return rc;
}

static int open_entry(struct sl_roster *roster, const struct entry *entry, struct sl_diag *diag)
{
    struct sl_devices *devices = roster->options.devices;
    struct sl_device opened;
    bool known = sl_devices_has(devices, entry->name);
    int rc = sl_device_open_wish(&entry->wish, &opened, diag);
    if (rc == 0)
        rc = sl_devices_add(devices, entry->name, &opened);
    if (rc == -EEXIST)
        rc = sl_devices_change(devices, entry->name, &opened);
    if (rc == SL_E_STATE) { /* reached another way: it leaves, and comes back */
        sl_lab_remove_device(roster->options.lab, entry->name);
        rc = -EBUSY;
    }
    if (rc == -EBUSY)
        return rc;
    if (rc < 0)
        return cannot_open(roster, entry, rc, diag);
    rc = show(roster, entry);
    sl_lab_tell_device(roster->options.lab, entry->name, opened.traits, opened.cpu);
    if (rc == 0 && !entry->wish.link && roster->options.describer)
        rc = sl_describer_ask(roster->options.describer, entry->name, &opened);
    if (rc == 0 && !known)
        sl_lab_device_link(roster->options.lab, entry->name,
                           sl_devices_connects(devices, entry->name) ? SL_CAUSE_DEVICE_CONNECTING
                                                                     : SL_CAUSE_DEVICE_WELL,
                           "");
    return rc;
}

int sl_roster_take(struct sl_roster *roster, const struct sl_host_device *device,
                   struct sl_diag *diag)
{
    struct entry *entry = find(roster, device->name), *free_one = entry ? entry : find(roster, "");
    if (!free_one)
        return sl_diag_set(diag, SL_E_FULL, NULL, "%d devices are as many as one daemon has",
                           (int)SL_MAX_DEVICES);
    int rc = write_entry(free_one, device);
    return rc < 0 ? rc : open_entry(roster, free_one, diag);
}

int sl_roster_drop(struct sl_roster *roster, const char *name)
{
    struct entry *entry = name[0] ? find(roster, name) : NULL;
    if (entry)
        entry->name[0] = '\0';
    return sl_lab_remove_device(roster->options.lab, name);
}

void sl_roster_described(struct sl_roster *roster, const char *name)
{
    const struct entry *entry = name[0] ? find(roster, name) : NULL;
    if (entry)
        tell_steps(roster, entry);
}

void sl_roster_reconnect(struct sl_roster *roster, const char *name)
{
    struct sl_diag diag = {0};
    const struct entry *entry = name[0] ? find(roster, name) : NULL;
    if (sl_devices_has(roster->options.devices, name))
        sl_devices_reconnect(roster->options.devices, name);
    else if (entry)
        open_entry(roster, entry, &diag);
}

/* --- what persons add --- */

static int file_of(const struct sl_roster *roster, const char *name, char out[SL_PATH_BYTES])
{
    return sl_path_join(out, SL_PATH_BYTES, roster->folder, "%s.json", name);
}

static int keep_file(const struct sl_roster *roster, const char *name, struct sl_bytes text)
{
    char path[SL_PATH_BYTES];
    int rc = file_of(roster, name, path);
    if (rc == 0 && mkdir(roster->folder, 0700) < 0 && errno != EEXIST)
        rc = -errno;
    return rc < 0 ? rc : sl_buf_write_file(path, text.data, text.size);
}

static void take_added(struct sl_roster *roster, const struct sl_host_device *device,
                       struct sl_diag *diag)
{
    sl_roster_take(roster, device, diag);
    struct entry *entry = find(roster, device->name);
    if (entry)
        entry->added = true;
}

int sl_roster_add(struct sl_roster *roster, struct sl_bytes text, char out_name[SL_NAME_BYTES],
                  struct sl_diag *diag)
{
    struct sl_host_device device;
    struct cJSON *document = NULL;
    struct sl_diag opened = {0};
    int rc = sl_host_device_parse(text, "body", &device, &document, diag);
    if (rc < 0)
        return rc;
    if (device.way.secret_file)
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "secret_file",
                         "a file of this machine can only be named by the configuration");
    else if (sl_lab_device(roster->options.lab, device.name))
        rc = sl_diag_set(diag, SL_E_MISMATCH, "name", "there is a device named %s already",
                         device.name);
    else if (!find(roster, ""))
        rc = SL_E_FULL;
    if (rc == 0)
        rc = keep_file(roster, device.name, text);
    if (rc == 0) {
        snprintf(out_name, SL_NAME_BYTES, "%s", device.name);
        take_added(roster, &device, &opened);
    }
    sl_json_doc_free(document);
    return rc;
}

int sl_roster_remove(struct sl_roster *roster, const char *name, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES];
    const struct entry *entry = name[0] ? find(roster, name) : NULL;
    if (!sl_lab_device(roster->options.lab, name))
        return sl_diag_set(diag, SL_E_NOT_FOUND, "name", "there is no device named %.60s", name);
    if (!entry || !entry->added)
        return sl_diag_set(diag, SL_E_MISMATCH, "name",
                           "%.60s was not added: the configuration names it, or it was found",
                           name);
    int rc = file_of(roster, name, path);
    if (rc == 0 && unlink(path) < 0 && errno != ENOENT)
        rc = -errno;
    return rc < 0 ? rc : sl_roster_drop(roster, name);
}

static void load_file(struct sl_roster *roster, const char *path)
{
    struct sl_buf text;
    struct sl_host_device device;
    struct cJSON *document = NULL;
    struct sl_diag diag = {0};
    int rc = sl_buf_read_file(path, MAX_DEVICE_BYTES, &text);
    if (rc == 0) {
        rc = sl_host_device_parse((struct sl_bytes){text.data, text.size}, path, &device, &document,
                                  &diag);
        sl_buf_fini(&text);
    }
    if (rc == 0 && !device.way.secret_file && !find(roster, device.name))
        take_added(roster, &device, &diag);
    else
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("device_not_taken"), SL_LOG_TEXT("file", path),
               SL_LOG_REASON(rc == 0        ? "the configuration has one of that name"
                             : diag.what[0] ? diag.what
                                            : sl_strerror(rc)));
    sl_json_doc_free(document);
}

const char *sl_roster_link(struct sl_roster *roster, const char *name)
{
    const struct entry *entry = roster && name[0] ? find(roster, name) : NULL;
    return entry ? entry->link : "";
}

bool sl_roster_added(struct sl_roster *roster, const char *name)
{
    const struct entry *entry = name[0] ? find(roster, name) : NULL;
    return entry && entry->added;
}

void sl_roster_load(struct sl_roster *roster)
{
    char path[SL_PATH_BYTES + 264];
    DIR *folder = opendir(roster->folder);
    const struct dirent *file;
    while (folder && (file = readdir(folder))) {
        size_t len = strlen(file->d_name);
        if (len > 5 && strcmp(file->d_name + len - 5, ".json") == 0 &&
            sl_path_join(path, sizeof(path), roster->folder, "%s", file->d_name) == 0)
            load_file(roster, path);
    }
    if (folder)
        closedir(folder);
}
