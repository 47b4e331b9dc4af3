/* host/cli/run_lab.c */
#include "host/cli/run_lab.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/job_sender.h"
#include "host/cli/private_daemon.h"
#include "host/cli/run_request.h"
#include "host/cli/server_address.h"
#include "host/device/adb/look.h"
#include "host/device/adb/usb.h"
#include "host/device/launch.h"
#include "host/spec/device_kind.h"

int sl_cli_run_lab_listens(const struct sl_cli *cli, bool *out, struct sl_diag *diag)
{
    struct sl_server_address address;
    *out = sl_server_address_is_named(cli->server);
    if (sl_server_address_is_private(cli->server)) {
        *out = false;
        return 0;
    }
    int rc = *out ? 0 : sl_server_address_find(NULL, &address, diag);
    if (rc == 0 && !*out)
        *out = sl_private_daemon_listens(address.socket);
    return rc;
}

/* Does this machine have what the device needs? -ENODEV: no, and `diag` says what. */
static int check_here(const struct sl_plan *plan, struct sl_diag *diag)
{
    struct sl_device device;
    int kind = sl_device_kind_find(plan->specs[0].device);
    if (kind == 0)
        return 0;
    unsigned svl = plan->specs[0].svl[0] != 0 ? plan->specs[0].svl[0] : 512;
    if (sl_device_kind_is_machine(kind) && plan->specs[0].runner &&
        sl_device_open(kind, svl, NULL, &device, NULL) < 0)
        kind = SL_DEVICE_EMULATED; /* beside that */
    int rc = sl_device_open(kind, svl, plan->specs[0].cpu, &device, diag);
    return rc == SL_E_NOT_FOUND ? -ENODEV : rc;
}

static int open_private(const struct sl_cli *cli, struct sl_job_sender *sender,
                        struct sl_diag *diag)
{
    struct sl_private_daemon daemon;
    int rc = check_here(sender->plan, diag);
    if (rc == 0) {
        rc = sl_private_daemon_find(sender->plan->specs[0].cpu, &daemon, diag);
        rc = rc == SL_E_NOT_FOUND ? -ENODEV : rc;
    }
    return rc < 0 ? rc : sl_client_open_private(cli, &daemon, &sender->client, diag);
}

/* The one phone that is there, behind a server or plugged in; "": none, or several. */
static void look_for_phone(struct sl_job_sender *sender)
{
    struct sl_adb_look *look = sl_calloc(1, sizeof(*look));
    size_t count = 0;
    if (look) {
        if (sl_adb_look(look, NULL) < 0)
            look->count = sl_adb_usb_list(look->listed, SL_ADB_MAX_LISTED);
        for (size_t i = 0; i < look->count; i++) {
            if (look->listed[i].state != SL_ADB_ONLINE)
                continue;
            sl_adb_name_of(look->listed[i].serial, sender->phone);
            count++;
        }
    }
    if (count != 1)
        sender->phone[0] = '\0';
    sl_free(look);
}

/* The default device: the phone that is there, else this machine, else the emulator. */
static void choose_device(struct sl_job_sender *sender)
{
    struct sl_spec *spec = &sender->plan->specs[0];
    if (spec->device)
        return;
    spec->device = sender->phone[0]             ? sender->phone
                   : sl_device_local_has_sme2() ? "local"
                   : spec->runner               ? "emulated"
                                                : "counted";
}

int sl_cli_run_lab_open_any(const struct sl_cli *cli, struct sl_job_sender *sender,
                            struct sl_diag *diag)
{
    bool there = false;
    int rc = sl_cli_run_lab_listens(cli, &there, diag);
    if (rc == 0 && !there)
        choose_device(sender);
    if (rc == 0)
        rc = there ? sl_client_open(cli, &sender->client, diag) : open_private(cli, sender, diag);
    return rc;
}

int sl_cli_run_lab_open(const struct sl_cli *cli, struct sl_job_sender *sender,
                        struct sl_diag *diag)
{
    struct sl_plan *plan = sender->plan;
    bool there = false, open = !plan->specs[0].device && !plan->specs[0].cpu;
    open = open && plan->specs[0].svl[0] == 0 && !plan->specs[0].runner;
    int rc = sl_cli_run_lab_listens(cli, &there, diag);
    if (rc == 0 && there && plan->specs[0].cpu) {
        sl_diag_hint(diag, "say --server private to measure on this machine");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--cpu",
                           "The emulated CPU belongs to the daemon's device");
    }
    if (rc == 0 && open && !there)
        look_for_phone(sender);
    if (rc == 0)
        rc = sl_cli_run_lab_open_any(cli, sender, diag);
    if (rc == 0 && open && there)
        rc = sl_job_sender_find_phone(sender, diag);
    choose_device(sender);
    if (rc == 0)
        rc = sl_job_sender_choose(sender, diag);
    if (rc == 0)
        sl_plan_fill(plan, sender->counted);
    return rc;
}
