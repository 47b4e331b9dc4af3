/* host/cli/bench_device.c */
#include "host/cli/bench_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/cli/answer.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/server_address.h"
#include "host/device/launch.h"
#include "host/spec/device_kind.h"

/* What the daemon says of a device. */
struct asked {
    int kind;
    char cpu[64]; /* the emulator's; "": it says none */
};

/* The device in the daemon's answer: its kind, or why it cannot be measured on. */
static int judge(const cJSON *devices, const char *name, const char *server, struct asked *out,
                 struct sl_diag *diag)
{
    const cJSON *device, *found = NULL;
    cJSON_ArrayForEach(device, devices)
    {
        if (strcmp(sl_answer_text(device, "name"), name) == 0)
            found = device;
    }
    if (!found) {
        sl_diag_hint(diag, "'sme2lab devices' lists those there are");
        return sl_diag_set(diag, SL_E_NOT_FOUND, "--device", "There is no device named %.60s",
                           name);
    }
    out->kind = sl_device_kind_find(sl_answer_text(found, "kind"));
    snprintf(out->cpu, sizeof(out->cpu), "%.60s", sl_answer_text(found, "cpu"));
    if (!sl_device_kind_traits(out->kind).emulated &&
        strcmp(sl_answer_text(found, "state"), "busy") == 0) {
        sl_diag_hint(diag, "'sme2lab wait %" PRIu64 "' returns when it is done",
                     sl_answer_u64(found, "job"));
        return sl_diag_set(diag, SL_E_STATE, server,
                           "The device %.60s has a job: its times and those of kernels would "
                           "disturb each other",
                           name);
    }
    return 0;
}

/* A named daemon elsewhere has its devices there. */
static int check_here(const struct sl_cli *cli, const char *name, struct sl_diag *diag)
{
    struct sl_server_address address;
    if (sl_server_address_is_private(cli->server) || !sl_server_address_is_named(cli->server))
        return 0;
    int rc = sl_server_address_find(cli->server, &address, diag);
    if (rc < 0 || address.loopback)
        return rc;
    sl_diag_hint(diag, "run 'sme2lab-agent kernels --bench SHAPE...' there and name what it prints "
                       "with --kernel-rows FILE");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, address.name,
                       "The device %.60s is of another machine: kernels run on this one alone",
                       name);
}

static int ask(const struct sl_cli *cli, const char *name, struct asked *out, struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    cJSON *answer = NULL;
    int rc = check_here(cli, name, diag);
    if (rc == 0)
        rc = sl_client_open_any(cli, &client, diag);
    if (rc < 0)
        return rc;
    rc = sl_client_get(client, "/api/v1/devices", NULL, &answer, diag);
    if (rc == 0)
        rc = judge(cJSON_GetObjectItemCaseSensitive(answer, "devices"), name,
                   sl_client_server(client), out, diag);
    cJSON_Delete(answer);
    sl_client_free(client);
    return rc;
}

int sl_bench_device_open(const struct sl_cli *cli, const char *name, unsigned svl_bits,
                         const char *cpu, struct sl_device *out, struct sl_diag *diag)
{
    struct asked asked = {.kind = sl_device_kind_find(name)};
    int rc = asked.kind == 0 ? ask(cli, name, &asked, diag) : 0;
    return rc < 0 ? rc
                  : sl_device_open(asked.kind, svl_bits, asked.cpu[0] ? asked.cpu : cpu, out, diag);
}

unsigned sl_bench_device_svl(const struct sl_device *device, unsigned otherwise)
{
    const char *at = strstr(device->cpu, "sme"); /* this machine says none */
    char *end = NULL;
    unsigned long bits = at && at[3] >= '1' && at[3] <= '9' ? strtoul(at + 3, &end, 10) : 0;
    return bits >= 128 && bits <= 2048 && strncmp(end, "=on", 3) == 0 ? (unsigned)bits : otherwise;
}
