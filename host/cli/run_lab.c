/* host/cli/run_lab.c */
#include "host/cli/run_lab.h"

#include <errno.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/private_daemon.h"
#include "host/cli/run_request.h"
#include "host/cli/sender.h"
#include "host/cli/server_address.h"
#include "host/device/launch.h"
#include "host/spec/device_kind.h"

/* Is there a daemon to be asked, other than the private one? */
static int has_daemon(const struct sl_cli *cli, bool *out, struct sl_diag *diag)
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
    int rc = sl_device_open(kind, plan->specs[0].svl != 0 ? plan->specs[0].svl : 512,
                            plan->specs[0].cpu, &device, diag);
    return rc == SL_E_NOT_FOUND ? -ENODEV : rc;
}

static int open_private(const struct sl_cli *cli, struct sl_sender *sender, struct sl_diag *diag)
{
    struct sl_private_daemon daemon;
    int rc = check_here(sender->plan, diag);
    if (rc == 0) {
        rc = sl_private_daemon_find(sender->plan->specs[0].cpu, &daemon, diag);
        rc = rc == SL_E_NOT_FOUND ? -ENODEV : rc;
    }
    return rc < 0 ? rc : sl_client_open_private(cli, &daemon, &sender->client, diag);
}

int sl_run_lab_open(const struct sl_cli *cli, struct sl_sender *sender, struct sl_diag *diag)
{
    struct sl_plan *plan = sender->plan;
    bool there = false;
    if (!plan->specs[0].device)
        plan->specs[0].device = sl_device_local_has_sme2() ? "local" : "counted";
    int rc = has_daemon(cli, &there, diag);
    if (rc == 0 && there && plan->specs[0].cpu) {
        sl_diag_hint(diag, "say --server private to measure on this machine");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--cpu",
                           "The emulated CPU belongs to the daemon's device");
    }
    if (rc == 0)
        rc = there ? sl_client_open(cli, &sender->client, diag) : open_private(cli, sender, diag);
    if (rc == 0)
        rc = sl_sender_choose(sender, diag);
    if (rc == 0)
        sl_plan_fill(plan, sender->counted);
    return rc;
}
