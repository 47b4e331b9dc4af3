/* host/cli/job_sender.c */
#include "host/cli/job_sender.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/answer.h"
#include "host/cli/client.h"
#include "host/cli/upload.h"
#include "host/device/adb/listing.h"
#include "host/spec/device_kind.h"
#include "host/spec/job_body.h"
#include "host/spec/json_value.h"
#include "host/spec/selector.h"

enum { MAX_BODY_BYTES = 1 << 20, KEY_BYTES = 16 };

struct sending {
    struct sl_job_sender *sender;
    struct sl_diag *diag;
};

static void name_sized(char out[SL_NAME_BYTES], const char *kind, unsigned svl)
{
    snprintf(out, SL_NAME_BYTES, "%.40s-%u", kind, svl != 0 ? svl : 512);
}

/* One of the kind: "counted-512" if a vector length is asked for, else a ready one, else any. */
static const cJSON *find_kind(const cJSON *devices, const char *kind, unsigned svl)
{
    char called[SL_NAME_BYTES];
    const cJSON *device, *found = NULL;
    name_sized(called, kind, svl);
    cJSON_ArrayForEach(device, devices)
    {
        bool named = strcmp(sl_value_text(device, "name", ""), called) == 0;
        bool ready = strcmp(sl_value_text(device, "state", ""), "ready") == 0;
        if (strcmp(sl_value_text(device, "kind", ""), kind) != 0)
            continue;
        if (named)
            return device;
        if (svl == 0 && (ready || !found))
            found = device;
    }
    return found;
}

/* By its name, or by a serial that is written in it with other characters. */
static const cJSON *find_name(const cJSON *devices, const char *name)
{
    char serial[SL_ADB_SERIAL_BYTES];
    const cJSON *device;
    sl_adb_name_of(name, serial);
    cJSON_ArrayForEach(device, devices)
    {
        const char *called = sl_value_text(device, "name", "");
        if (strcmp(called, name) == 0 || strcmp(called, serial) == 0)
            return device;
    }
    return NULL;
}

int sl_job_sender_find_phone(struct sl_job_sender *sender, struct sl_diag *diag)
{
    cJSON *answer = NULL;
    const cJSON *device;
    size_t count = 0;
    int rc = sl_client_get(sender->client, "/api/v1/devices", NULL, &answer, diag);
    sender->phone[0] = '\0';
    cJSON_ArrayForEach(device, sl_value(answer, "devices"))
    {
        const char *state = sl_value_text(device, "state", "");
        int kind = sl_device_kind_find(sl_value_text(device, "kind", ""));
        if (!sl_device_kind_is_phone(kind) ||
            (strcmp(state, "ready") != 0 && strcmp(state, "busy") != 0))
            continue;
        snprintf(sender->phone, sizeof(sender->phone), "%s", sl_value_text(device, "name", ""));
        count++;
    }
    if (count != 1)
        sender->phone[0] = '\0';
    cJSON_Delete(answer);
    return rc;
}

static int refuse_kind(const struct sl_job_sender *sender, const char *wanted, unsigned svl,
                       struct sl_diag *diag)
{
    char vectors[48] = "";
    if (svl != 0)
        snprintf(vectors, sizeof(vectors), " with vectors of %u bits", svl);
    sl_diag_hint(diag, "'sme2lab devices' lists them; 'sme2lab run --server private' "
                       "measures on this machine");
    return sl_diag_set(diag, -ENODEV, sl_client_server(sender->client),
                       "The lab has no device of kind %.20s%s", wanted, vectors);
}

static void take(struct sl_job_sender *sender, const cJSON *device)
{
    struct sl_device_record record;
    sl_answer_device(device, &record);
    snprintf(sender->device, sizeof(sender->device), "%s", record.name);
    sender->counted = record.traits.counted;
}

/* Devices of these kinds have one length each: one for each experiment. */
static int choose_sized(struct sl_job_sender *sender, const cJSON *devices, const char *wanted,
                        struct sl_diag *diag)
{
    for (size_t i = 0; i < sender->plan->count; i++) {
        unsigned svl = sender->plan->specs[i].svl[0];
        const cJSON *device = find_kind(devices, wanted, svl);
        if (!device)
            return refuse_kind(sender, wanted, svl, diag);
        take(sender, device);
    }
    snprintf(sender->sized, sizeof(sender->sized), "%s", wanted);
    return 0;
}

static int choose_kind(struct sl_job_sender *sender, const cJSON *devices, const char *wanted,
                       struct sl_diag *diag)
{
    const struct sl_spec *spec = &sender->plan->specs[0];
    int kind = sl_device_kind_find(wanted);
    if (spec->svl[0] != 0 && sl_device_kind_traits(kind).emulated)
        return choose_sized(sender, devices, wanted, diag);
    const cJSON *device = find_kind(devices, wanted, 0);
    if (!device && spec->runner && sl_device_kind_is_machine(kind)) {
        device =
            find_kind(devices, "emulated", 0); /* runners need no agent of this machine's CPU */
        sender->native = true;
    }
    if (!device)
        return refuse_kind(sender, wanted, 0, diag);
    take(sender, device);
    return 0;
}

/* Those that fit, or might when they have said what they are; `counted` of the first.
 * SL_E_MISMATCH: some count and some measure time, so that nobody knows what the numbers of the
 * plan mean. */
static int check_units(const struct sl_selector *selector, const struct sl_device_record *devices,
                       size_t count, bool *out_counted, struct sl_diag *diag)
{
    size_t counted = 0, fit = 0;
    for (size_t i = 0; i < count; i++) {
        if (sl_selector_fits(selector, &devices[i]) == SL_MAYBE_NO)
            continue;
        fit++;
        counted += devices[i].traits.counted;
    }
    *out_counted = counted > 0;
    if (counted == 0 || counted == fit)
        return 0;
    sl_diag_hint(diag, "add a kind to it, such as kind=counted or kind=adb");
    return sl_diag_set(diag, SL_E_MISMATCH, "--device",
                       "Some of the devices that fit count instructions, others measure time");
}

/* The daemon chooses, when one is free. */
static int choose_conditions(struct sl_job_sender *sender, const cJSON *list, const char *wanted,
                             struct sl_diag *diag)
{
    struct sl_selector selector;
    struct sl_device_record *devices = sl_calloc(SL_MAX_DEVICES, sizeof(*devices));
    const cJSON *device;
    size_t count = 0;
    int rc = devices ? sl_selector_read(wanted, &selector, diag) : -ENOMEM;
    cJSON_ArrayForEach(device, list)
    {
        if (rc == 0 && count < SL_MAX_DEVICES)
            sl_answer_device(device, &devices[count++]);
    }
    if (rc == 0)
        rc = sl_selector_find(&selector, wanted, devices, count, diag);
    if (rc == 0)
        rc = check_units(&selector, devices, count, &sender->counted, diag);
    if (rc < 0 && diag)
        snprintf(diag->where, sizeof(diag->where), "--device");
    if (rc == 0)
        snprintf(sender->device, sizeof(sender->device), "%s", wanted);
    sl_free(devices);
    return rc;
}

/* An emulated device cannot change its length; runners all run on one. */
static int check_lengths(const struct sl_job_sender *sender, const char *wanted, const cJSON *named,
                         struct sl_diag *diag)
{
    const struct sl_plan *plan = sender->plan;
    int kind = sl_device_kind_find(sl_value_text(named, "kind", ""));
    if (plan->specs[0].svl[0] != 0 && sl_device_kind_traits(kind).emulated) {
        sl_diag_hint(diag, "take 'svl' out");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "svl",
                           "The device '%.60s' has its own vector length", wanted);
    }
    if (plan->specs[0].runner && plan->specs[0].svl[0] != plan->specs[plan->count - 1].svl[0]) {
        sl_diag_hint(diag, "measure each length by a run of its own");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "svl",
                           "External runners are measured with one vector length");
    }
    return 0;
}

int sl_job_sender_choose(struct sl_job_sender *sender, struct sl_diag *diag)
{
    const struct sl_spec *spec = &sender->plan->specs[0];
    const char *wanted = spec->device;
    cJSON *answer = NULL;
    bool runners = spec->runner != NULL;
    if (!wanted && spec->svl[0] == 0 && !runners)
        return 0;
    wanted = wanted ? wanted : runners ? "emulated" : "counted";
    bool is_kind = sl_device_kind_find(wanted) != 0;
    int rc = sl_client_get(sender->client, "/api/v1/devices", NULL, &answer, diag);
    if (rc < 0)
        return rc;
    const cJSON *devices = sl_value(answer, "devices");
    const cJSON *named = is_kind ? NULL : find_name(devices, wanted);
    rc = check_lengths(sender, wanted, named, diag);
    if (rc == 0 && named)
        take(sender, named);
    else if (rc == 0 && is_kind)
        rc = choose_kind(sender, devices, wanted, diag);
    else if (rc == 0)
        rc = choose_conditions(sender, devices, wanted, diag);
    cJSON_Delete(answer);
    return rc;
}

int sl_job_sender_post(struct sl_client *client, uint64_t group, const struct sl_buf *body,
                       uint64_t *out_job, struct sl_diag *diag)
{
    char path[96] = "/api/v1/jobs";
    uint8_t random[KEY_BYTES];
    char key[2 * KEY_BYTES + 1];
    sl_random_bytes(random, sizeof(random));
    for (size_t k = 0; k < KEY_BYTES; k++)
        snprintf(key + 2 * k, 3, "%02x", random[k]);
    if (group != 0)
        snprintf(path, sizeof(path), "/api/v1/jobs?group=%" PRIu64, group);
    const struct sl_client_request request = {
        .method = "POST", .path = path, .json = (const char *)body->data, .idempotency_key = key};
    return sl_client_make(client, &request, "The daemon took the job and gave it no number",
                          out_job, diag);
}

/* A file that was sent before is not hashed again. */
static int send_file(void *user, const struct sl_param *param, const char *path,
                     const char **sha256)
{
    const struct sending *sending = user;
    struct sl_job_sender *sender = sending->sender;
    size_t i = 0;
    (void)param;
    while (i < sender->file_count && strcmp(sender->files[i].path, path) != 0)
        i++;
    struct sl_sent_file *file = &sender->files[i];
    if (i == SL_SENDER_MAX_FILES)
        return sl_diag_set(sending->diag, SL_E_LIMIT, path, "There are more than %d files",
                           SL_SENDER_MAX_FILES);
    int rc = i < sender->file_count
                 ? 0
                 : sl_upload_file(sender->cli, sender->client, path, file->sha256, sending->diag);
    if (rc < 0)
        return rc;
    file->path = path;
    sender->file_count += i == sender->file_count;
    *sha256 = file->sha256;
    return 0;
}

int sl_job_sender_upload(struct sl_job_sender *sender, struct sl_spec *spec, struct sl_diag *diag)
{
    struct sending sending = {sender, diag};
    return sl_params_each_file(spec, send_file, &sending);
}

void sl_job_sender_fill(struct sl_job_sender *sender, struct sl_spec *spec)
{
    const char *slash = strrchr(spec->model, '/');
    snprintf(spec->model_name, sizeof(spec->model_name), "%s", slash ? slash + 1 : spec->model);
    if (sender->sized[0]) {
        name_sized(sender->device, sender->sized, spec->svl[0]);
        spec->svl[0] = 0; /* the device's own */
    }
    spec->device = sender->device[0] ? sender->device : NULL;
    spec->command = sender->command;
    spec->directory = sender->directory;
}

int sl_job_sender_send(struct sl_job_sender *sender, size_t experiment, uint64_t *out_job,
                       struct sl_diag *diag)
{
    struct sl_spec spec = sender->plan->specs[experiment];
    struct sl_buf body;
    sl_job_sender_fill(sender, &spec);
    spec.shared_directory = sender->directory && sl_plan_shares(sender->plan, experiment);
    int rc = sl_job_sender_upload(sender, &spec, diag);
    if (rc < 0)
        return rc;
    sl_buf_init(&body, MAX_BODY_BYTES);
    rc = sl_job_body_put(&spec, &body);
    if (rc < 0)
        sl_diag_set(diag, rc, NULL, "The experiment cannot be sent (%s)", sl_strerror(rc));
    else
        rc = sl_job_sender_post(sender->client, sender->group, &body, out_job, diag);
    sl_buf_fini(&body);
    return rc;
}
