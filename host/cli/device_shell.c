/* host/cli/device_shell.c */
#include "host/cli/device_shell.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/server_address.h"
#include "host/spec/json_value.h"

extern char **environ;

enum { LOOK_AGAIN_MS = 500 };

/* The device for `adb -s`; NULL: adb does not have it. `out_connect`: the adb server must be told
 * of it first. */
static const char *serial_of(const struct cJSON *device, bool *out_connect)
{
    static const char *const words[] = {"adb:", "adb-usb:", "adb-tcp:"};
    const char *link = sl_value_text(device, "link", "");
    *out_connect = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);
        if (strncmp(link, words[i], len) == 0 && link[len]) {
            *out_connect = i == 2;
            return link + len;
        }
    }
    return NULL;
}

/* A serial is the device's own word: one that a shell would read otherwise is not shown as part of
 * a command. */
static bool can_be_typed(const char *serial)
{
    return serial[strspn(serial, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "._:-[]")] == '\0';
}

void sl_device_shell_say(const struct cJSON *device)
{
    bool connect;
    const char *serial = serial_of(device, &connect), *link = sl_value_text(device, "link", ""),
               *name = sl_value_text(device, "name", "");
    if (serial && !can_be_typed(serial))
        sl_say(stdout, "  shell    sme2lab device reserve %s --shell\n", name);
    else if (serial && connect)
        sl_say(stdout, "  shell    adb connect %s && adb -s %s shell\n", serial, serial);
    else if (serial)
        sl_say(stdout, "  shell    adb -s %s shell\n", serial);
    else if (strncmp(link, "tcp:", 4) == 0)
        sl_say(stdout, "  shell    log in there as ever (ssh): its agent serves at %s\n", link + 4);
    else
        sl_say(stdout, "  shell    yours: it is the machine on which its daemon runs\n");
    if (strncmp(link, "adb-usb:", 8) == 0)
        sl_say(stdout,
               "  after    adb kill-server, if the daemon has no \"adb\": true: the port is "
               "then free for it\n");
}

static bool pause_a_little(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_AGAIN_MS * 1000000L};
    return nanosleep(&pause, NULL) == 0;
}

/* The device once it is the person's, to end with cJSON_Delete(); NULL: *out_code says why not. */
static cJSON *await(const struct sl_cli *cli, const char *path, int *out_code)
{
    const struct sl_client_request request = {.method = "GET", .path = path};
    struct sl_diag diag = {0};
    struct sl_cli quiet = *cli;
    quiet.json = false;
    bool told = cli->quiet;
    cJSON *device = NULL;
    while ((*out_code = sl_ask(&quiet, "device", &request, &device)) == SL_EXIT_DONE && device) {
        const char *state = sl_value_text(device, "state", "");
        uint64_t job = sl_value_u64(device, "job");
        if (strcmp(state, "reserved") == 0)
            return device;
        if (job == 0) {
            sl_diag_hint(&diag, "'sme2lab device show' says more");
            sl_diag_set(&diag, SL_E_STATE, "device reserve", "The device is %.20s", state);
            *out_code = sl_cli_fail(cli, SL_EXIT_LAB, &diag);
            break;
        }
        if (!told)
            sl_say(stderr, "waits for the end of job %llu\n", (unsigned long long)job);
        told = true;
        cJSON_Delete(device);
        device = NULL;
        if (!pause_a_little()) {
            *out_code = SL_EXIT_INTERRUPTED;
            return NULL;
        }
    }
    cJSON_Delete(device);
    return NULL;
}

/* The program's exit code, or -errno. The terminal is its. */
static int run_adb(const char *const *words)
{
    pid_t pid;
    int status = 0;
    int rc = posix_spawnp(&pid, words[0], NULL, NULL, (char *const *)words, environ);
    if (rc != 0)
        return -rc;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/* A server sees a USB phone some seconds after the daemon has let go of it; an address that cannot
 * be reached never comes, and adb says so. */
static int open_shell(const char *serial, bool connect)
{
    const char *const to_server[] = {"adb", "connect", serial, NULL};
    const char *const at_once[] = {"adb", "-s", serial, "shell", NULL};
    const char *const once_there[] = {"adb", "-s", serial, "wait-for-device", "shell", NULL};
    int rc = connect ? run_adb(to_server) : 0;
    return rc != 0 ? rc : run_adb(connect ? at_once : once_there);
}

static bool is_here(const struct sl_cli *cli)
{
    struct sl_server_address address;
    struct sl_diag diag = {0};
    return sl_server_address_is_private(cli->server) ||
           (sl_server_address_find(cli->server, &address, &diag) == 0 && address.loopback);
}

int sl_device_shell_open(const struct sl_cli *cli, const char *path)
{
    struct sl_diag diag = {0};
    int code;
    bool connect;
    cJSON *device = await(cli, path, &code);
    if (!device)
        return code;
    const char *serial = serial_of(device, &connect);
    int rc = !serial ? SL_E_UNSUPPORTED : is_here(cli) ? open_shell(serial, connect) : SL_E_STATE;
    if (!serial)
        sl_diag_set(&diag, rc, "--shell", "This device has no shell over adb");
    else if (rc == SL_E_STATE)
        sl_diag_set(&diag, rc, "--shell",
                    "The device is at its daemon's machine: log in there first");
    else if (rc == -ENOENT)
        sl_diag_set(&diag, rc, "--shell", "There is no program adb: install it (package adb)");
    else if (rc < 0)
        sl_diag_set(&diag, rc, "--shell", "The program adb did not end well: %s", strerror(-rc));
    cJSON_Delete(device);
    return rc < 0 ? sl_cli_fail(cli, SL_EXIT_LAB, &diag) : rc;
}
