/* host/cli/cmd_device.c: `sme2lab device`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/device_pair.h"
#include "host/cli/device_results.h"
#include "host/cli/device_shell.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/time_text.h"
#include "host/spec/json_value.h"
#include "host/spec/moment.h"
#include "host/spec/selector.h"
#include "host/spec/url.h"

static const char about[] =
    "Shows one device of the lab, or does something with it.\n\n"
    "show says what it is: SoC, memory, SME2 or why it has none, vector lengths.\n"
    "quarantine takes it out after its job, reserve gives it to a person for a time,\n"
    "release ends either. probe tries one anew that fell out.\n\n"
    "A reserved device takes no job, and its jobs wait. reserve says how to reach it;\n"
    "--shell opens a shell there once its job has ended, with the program adb, and ends\n"
    "with the shell's exit code; the device stays reserved. A phone that the daemon\n"
    "reaches by USB or TCP itself is let go meanwhile, so that adb can have it.\n\n"
    "calibrate takes the noise floor from a timed run of equal executions. Later runs\n"
    "that differ by less are not called faster or slower.\n\n"
    "add and remove are for devices that the daemon's configuration does not name;\n"
    "they stay for later daemons.\n\n"
    "clean removes from the device what no job needs: files that it was sent and\n"
    "packed weights, but no result. The next run sends what it needs again.\n\n"
    "results lists runs that the device keeps and this daemon does not know: another\n"
    "daemon sent them, or the state was lost. --collect makes one a job of this\n"
    "daemon, with the same files as if it had sent it; for that the daemon needs the\n"
    "model and its inputs. --forget lets the device remove one, and stops it first\n"
    "where it still runs.\n\n"
    "pair makes a phone trust your adb key, for wireless debugging. Its Developer\n"
    "options have 'Pair device with pairing code', which shows an address with a\n"
    "port, and the code. The code is read from standard input. The phone is then\n"
    "reached at the address that 'Wireless debugging' itself shows, whose port is\n"
    "another: {\"link\": \"adb-tcp:ADDRESS:PORT\"} in the daemon's configuration. A\n"
    "daemon of another user has another key.";

struct device {
    const struct sl_cli *cli;
    const char *reason, *who, *until, *kind, *link, *cpu, *tags;
    int64_t svl, run;
    bool allow_unencrypted, shell;
    struct sl_device_results results;
};

static void put_text(cJSON *body, const char *key, const char *text)
{
    if (text)
        cJSON_AddStringToObject(body, key, text);
}

/* "bench,usb3" as a list. */
static void put_tags(cJSON *body, const char *tags)
{
    cJSON *list = tags ? cJSON_AddArrayToObject(body, "tags") : NULL;
    while (list && *tags) {
        char tag[SL_TAGS_BYTES];
        size_t len = strcspn(tags, ",");
        snprintf(tag, sizeof(tag), "%.*s", (int)len, tags);
        cJSON_AddItemToArray(list, cJSON_CreateString(tag));
        tags += len + (tags[len] == ',');
    }
}

/* Sends the body and says what the device is now, and with `reach` how to get at it. */
static int send(const struct device *d, const char *method, const char *path, cJSON *body,
                bool reach)
{
    cJSON *answer = NULL;
    char *text = body ? cJSON_PrintUnformatted(body) : NULL;
    const struct sl_client_request request = {.method = method, .path = path, .json = text};
    int code = sl_ask(d->cli, "device", &request, &answer);
    if (answer && !d->cli->quiet) {
        const char *detail = sl_value_text(answer, "detail", "");
        sl_say(stdout, "%s is %s%s%s\n", sl_value_text(answer, "name", ""),
               sl_value_text(answer, "state", ""), *detail ? ": " : "", detail);
        if (reach)
            sl_device_shell_say(answer);
    }
    cJSON_Delete(answer);
    cJSON_Delete(body);
    cJSON_free(text);
    return code;
}

/* False: it is said that this is no name. */
static bool path_of(const struct device *d, const char *name, const char *verb,
                    char out[SL_CLIENT_PATH_BYTES])
{
    struct sl_diag diag = {0};
    snprintf(out, SL_CLIENT_PATH_BYTES, "/api/v1/devices/");
    bool fits = *name && !strchr(name, '/') && sl_url_path(out, SL_CLIENT_PATH_BYTES, name) &&
                (!*verb || (sl_url_path(out, SL_CLIENT_PATH_BYTES, "/") &&
                            sl_url_path(out, SL_CLIENT_PATH_BYTES, verb)));
    if (fits)
        return true;
    sl_diag_hint(&diag, "'sme2lab devices' lists them");
    sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "'%.60s' is no name of a device", name);
    sl_cli_fail(d->cli, SL_EXIT_USAGE, &diag);
    return false;
}

static int act(const struct device *d, const char *verb, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES];
    if (!path_of(d, name, verb, path))
        return SL_EXIT_USAGE;
    cJSON *body = cJSON_CreateObject();
    put_text(body, "reason", strcmp(verb, "quarantine") == 0 ? d->reason : NULL);
    return send(d, "POST", path, body, false);
}

static int reserve(const struct device *d, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES], place[SL_CLIENT_PATH_BYTES];
    struct sl_diag diag = {0};
    uint64_t now = sl_clock_utc_ms(), until;
    if (!path_of(d, name, "reserve", path) || !path_of(d, name, "", place))
        return SL_EXIT_USAGE;
    if (sl_moment_read(d->until ? d->until : "1h", "--for", now, &until, &diag) < 0)
        return sl_cli_fail(d->cli, SL_EXIT_USAGE, &diag);
    cJSON *body = cJSON_CreateObject();
    put_text(body, "who", d->who ? d->who : getenv("USER"));
    cJSON_AddNumberToObject(body, "seconds", (double)((until - now + 999) / 1000));
    int code = send(d, "POST", path, body, !d->shell);
    return code == SL_EXIT_DONE && d->shell ? sl_device_shell_open(d->cli, place) : code;
}

static int add(const struct device *d, const char *name)
{
    cJSON *body = cJSON_CreateObject();
    put_text(body, "name", name);
    put_text(body, "kind", d->kind);
    put_text(body, "link", d->link);
    put_text(body, "cpu", d->cpu);
    put_tags(body, d->tags);
    if (d->svl > 0)
        cJSON_AddNumberToObject(body, "svl", (double)d->svl);
    if (d->allow_unencrypted)
        cJSON_AddTrueToObject(body, "allow_unencrypted");
    return send(d, "POST", "/api/v1/devices", body, false);
}

static void line(const char *head, const char *text)
{
    if (*text)
        sl_say(stdout, "  %-8s %s\n", head, text);
}

/* Temperature and battery, as the agent read them last while the device had no job. */
static void print_conditions(const cJSON *device)
{
    char text[SL_TIME_TEXT_BYTES];
    uint64_t celsius = sl_value_u64(device, "temperature_celsius"),
             percent = sl_value_u64(device, "battery_percent"),
             looked_ms = sl_value_u64(device, "looked_ms");
    if (celsius > 0)
        sl_say(stdout, "  warmth   %" PRIu64 " degrees Celsius (%s), %s\n", celsius,
               sl_value_text(device, "warmest", ""), sl_time_text(looked_ms, text));
    if (percent > 0)
        sl_say(stdout, "  battery  %" PRIu64 " %%\n", percent);
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(device, "power_saver")))
        line("saver", "on: its system slows the device to save power; switch it off to measure");
}

static void print_device(const cJSON *device)
{
    const char *no_sme2 = sl_value_text(device, "no_sme2", ""),
               *lengths = sl_value_text(device, "svl_lengths", "");
    uint64_t svl = sl_value_u64(device, "svl_bits"), memory = sl_value_u64(device, "memory_bytes");
    uint64_t queued = sl_value_u64(device, "queued");
    bool sme2 = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(device, "sme2"));
    sl_say(stdout, "%s (%s)\n", sl_value_text(device, "name", ""),
           sl_value_text(device, "kind", ""));
    line("state", sl_value_text(device, "state", ""));
    line("detail", sl_value_text(device, "detail", ""));
    if (queued > 0)
        sl_say(stdout, "  queue    %" PRIu64 " (jobs that wait and could go to it)\n", queued);
    line("tags", sl_value_text(device, "tags", ""));
    line("model", sl_value_text(device, "model", ""));
    line("SoC", sl_value_text(device, "soc", ""));
    line("system", sl_value_text(device, "system", ""));
    line("CPU", sl_value_text(device, "cpu", ""));
    sl_say(stdout, "  SME2     %s%s\n",
           sme2       ? "yes"
           : *no_sme2 ? "no: "
                      : "not known yet",
           no_sme2);
    if (svl > 0)
        sl_say(stdout, "  SVL      %" PRIu64 " bits%s%s\n", svl, *lengths ? ", of " : "", lengths);
    if (memory > 0)
        sl_say(stdout, "  memory   %.1f GiB\n", (double)memory / (1 << 30));
    print_conditions(device);
}

static int show(const struct device *d, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES];
    cJSON *answer = NULL;
    if (!path_of(d, name, "", path))
        return SL_EXIT_USAGE;
    const struct sl_client_request request = {.method = "GET", .path = path};
    int code = sl_ask(d->cli, "device", &request, &answer);
    if (answer)
        print_device(answer);
    cJSON_Delete(answer);
    return code;
}

static int clean(const struct device *d, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES];
    cJSON *answer = NULL;
    if (!path_of(d, name, "clean", path))
        return SL_EXIT_USAGE;
    const struct sl_client_request request = {.method = "POST", .path = path, .json = ""};
    int code = sl_ask(d->cli, "cleaned", &request, &answer);
    if (answer && !d->cli->quiet)
        sl_say(stdout, "%" PRIu64 " files removed, %.1f MiB\n", sl_value_u64(answer, "files"),
               sl_value_number(answer, "bytes", 0) / (1 << 20));
    cJSON_Delete(answer);
    return code;
}

static int take_out(const struct device *d, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES];
    if (!path_of(d, name, "", path))
        return SL_EXIT_USAGE;
    int code = send(d, "DELETE", path, NULL, false);
    if (code == SL_EXIT_DONE && !d->cli->json && !d->cli->quiet)
        sl_say(stdout, "%s leaves, after the job that it may have\n", name);
    return code;
}

/* The device's newest run, so that a timer can calibrate. */
static int newest_run(const struct sl_cli *cli, const char *name, uint64_t *out,
                      struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/runs?limit=1";
    struct sl_client *client = NULL;
    cJSON *answer = NULL;
    sl_url_query(path, sizeof(path), "device", name); /* it fits: path_of() took the name */
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc == 0)
        rc = sl_client_get(client, path, NULL, &answer, diag);
    sl_client_free(client);
    *out = sl_value_u64(cJSON_GetArrayItem(sl_value(answer, "runs"), 0), "id");
    cJSON_Delete(answer);
    if (rc < 0 || *out > 0)
        return rc;
    sl_diag_hint(diag, "measure there with 'sme2lab run MODEL.pte --device %.60s'", name);
    return sl_diag_set(diag, SL_E_NOT_FOUND, name, "the device has no run that shows its noise");
}

static int calibrate(const struct device *d, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES], body[48];
    struct sl_diag diag = {0};
    uint64_t run = (uint64_t)d->run;
    cJSON *answer = NULL;
    if (!path_of(d, name, "calibrate", path))
        return SL_EXIT_USAGE;
    int rc = d->run > 0 ? 0 : newest_run(d->cli, name, &run, &diag);
    if (rc < 0)
        return sl_cli_fail(d->cli, sl_exit_for_error(rc), &diag);
    snprintf(body, sizeof(body), "{\"run\":%" PRIu64 "}", run);
    const struct sl_client_request request = {.method = "POST", .path = path, .json = body};
    int code = sl_ask(d->cli, "device", &request, &answer);
    if (answer && !d->cli->quiet && !d->cli->json)
        sl_say(stdout, "%s: noise floor %.2f %%, of %" PRIu64 " pairs; kept for its later runs\n",
               name, 100 * sl_value_number(answer, "noise_floor", 0),
               sl_value_u64(answer, "pairs"));
    cJSON_Delete(answer);
    return code;
}

static int pair(const struct device *d, const char *where)
{
    return sl_device_pair(d->cli, where);
}

static int results(const struct device *d, const char *name)
{
    char path[SL_CLIENT_PATH_BYTES];
    return path_of(d, name, "", path) ? sl_device_results(d->cli, path, &d->results)
                                      : SL_EXIT_USAGE;
}

/* False: there is no such verb. */
static bool do_verb(const struct device *d, const char *verb, const char *name, int *out_code)
{
    static const char *const acts[] = {"quarantine", "release", "probe"};
    static const struct {
        const char *verb;
        int (*run)(const struct device *d, const char *name);
    } others[] = {{"show", show},           {"add", add},         {"remove", take_out},
                  {"pair", pair},           {"results", results}, {"clean", clean},
                  {"calibrate", calibrate}, {"reserve", reserve}};
    bool found = false;
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]) && !found; i++) {
        found = strcmp(verb, acts[i]) == 0;
        if (found)
            *out_code = act(d, verb, name);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !found; i++) {
        found = strcmp(verb, others[i].verb) == 0;
        if (found)
            *out_code = others[i].run(d, name);
    }
    return found;
}

int sl_cmd_device(const struct sl_cli *cli, int argc, char **argv)
{
    struct device d = {.cli = cli};
    const struct sl_option options[] = {
        {"--reason", 0, SL_OPTION_TEXT, &d.reason, "TEXT", "quarantine: why"},
        {"--for", 0, SL_OPTION_TEXT, &d.until, "TIME",
         "reserve: for 90s, 30m, 2h or 7d (1h), or until 2026-11-27T22:00Z; a week at most"},
        {"--who", 0, SL_OPTION_TEXT, &d.who, "WHO", "reserve: for whom ($USER)"},
        {"--shell", 0, SL_OPTION_FLAG, &d.shell, NULL, "reserve: open a shell there"},
        {"--run", 0, SL_OPTION_COUNT, &d.run, "ID", "calibrate: the run (its newest)"},
        {"--link", 0, SL_OPTION_TEXT, &d.link, "LINK", "add: adb:SERIAL or adb-tcp:HOST:PORT"},
        {"--kind", 0, SL_OPTION_TEXT, &d.kind, "KIND", "add: local, emulated or counted"},
        {"--svl", 0, SL_OPTION_COUNT, &d.svl, "BITS", "add: an emulated one's vector length (512)"},
        {"--cpu", 0, SL_OPTION_TEXT, &d.cpu, "CPU", "add: the emulator's -cpu"},
        {"--tags", 0, SL_OPTION_TEXT, &d.tags, "TAG,TAG",
         "add: what it is called by, for --device tag=TAG"},
        {"--allow-unencrypted", 0, SL_OPTION_FLAG, &d.allow_unencrypted, NULL,
         "add: a link that leaves this machine in the open"},
        {"--collect", 0, SL_OPTION_TEXT, &d.results.collect, "ID",
         "results: fetch this one, as a job, and wait for it"},
        {"--out", 'o', SL_OPTION_TEXT, &d.results.directory, "DIR",
         "results: the collected run's files go there too"},
        {"--file", 0, SL_OPTION_LIST, &d.results.files, "FILE",
         "results: the collected run's model or an input, if the daemon has not got it; "
         "repeatable"},
        {"--forget", 0, SL_OPTION_TEXT, &d.results.forget, "ID", "results: remove this one"},
    };
    const struct sl_usage usage = {.verb = "device",
                                   .synopsis = "show|quarantine|release|reserve|probe|calibrate|"
                                               "add|remove|clean|results NAME|pair ADDRESS:PORT "
                                               "[option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes =
                                       "Example: sme2lab device reserve pixel-8 --for 30m --shell"};
    const char *words[2] = {"", ""};
    struct sl_diag diag = {0};
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, words, 2, "what to do, and the device's name",
                      &count, &code))
        return code;
    if (count == 2 && do_verb(&d, words[0], words[1], &code))
        return code;
    sl_diag_hint(&diag, "usage: sme2lab device %s", usage.synopsis);
    sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "'device %s' is not it", words[0]);
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}
