/* host/cli/cmd_doctor.c: `sme2lab doctor`: what is missing on this machine, each with its fix. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/server_address.h"
#include "host/device/adb/look.h"
#include "host/device/adb/usb.h"
#include "host/device/launch.h"
#include "host/report/style.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_value.h"
#include "host/spec/paths.h"

enum { MAX_OUTPUT_BYTES = 1 << 20, MAX_FINDINGS = 80, CHECK_MS = 60000 };
enum { TEXT_COLUMN = 18, FIX_COLUMN = TEXT_COLUMN + 5 };

enum level { LEVEL_GOOD, LEVEL_NOTE, LEVEL_BAD };

struct finding {
    enum level level;
    char name[24], text[440], fix[400];
};

struct doctor {
    const struct sl_cli *cli;
    struct finding findings[MAX_FINDINGS];
    size_t count;
};

__attribute__((format(printf, 5, 6))) static void find(struct doctor *doctor, enum level level,
                                                       const char *name, const char *fix,
                                                       const char *format, ...);

static void find(struct doctor *doctor, enum level level, const char *name, const char *fix,
                 const char *format, ...)
{
    va_list args;
    if (doctor->count == MAX_FINDINGS)
        return;
    struct finding *finding = &doctor->findings[doctor->count++];
    finding->level = level;
    snprintf(finding->name, sizeof(finding->name), "%s", name);
    snprintf(finding->fix, sizeof(finding->fix), "%s", fix ? fix : "");
    va_start(args, format);
    vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
}

/* SME2 here, or an emulator that has it; and the program that runs in either. */
static void look_at_tools(struct doctor *doctor)
{
    struct sl_tool tool;
    struct sl_diag diag = {0};
    bool local = sl_device_local_has_sme2();
    if (local)
        find(doctor, LEVEL_GOOD, "host", NULL,
             "this machine executes SME2: device local measures "
             "nanoseconds");
    else
        find(doctor, LEVEL_NOTE, "host",
             "measure instructions by device counted, or run on a "
             "machine with SME2",
             "this machine has no SME2: times of real hardware cannot be had here");
    if (sl_tools_find_emulator(&tool, &diag) == 0)
        find(doctor, LEVEL_GOOD, "emulator", NULL, "%.200s, QEMU %s", tool.path, tool.version);
    else
        find(doctor, local ? LEVEL_NOTE : LEVEL_BAD, "emulator", diag.hint, "%s", diag.what);
    memset(&diag, 0, sizeof(diag));
    if (sl_tools_find_agent(&tool, &diag) == 0)
        find(doctor, LEVEL_GOOD, "agent", NULL, "%.250s", tool.path);
    else
        find(doctor, LEVEL_BAD, "agent", diag.hint, "%s", diag.what);
    memset(&diag, 0, sizeof(diag));
    if (sl_tools_find_native_agent(&tool, &diag) < 0) /* it serves the daemon's devices */
        find(doctor, LEVEL_NOTE, "serve", diag.hint, "%s", diag.what);
}

/* "; SME2, SVL 512" or why it has none; "" where it is not known. */
static void tell_sme2(const cJSON *device, char *out, size_t size)
{
    const cJSON *sme2 = sl_value(device, "sme2");
    out[0] = '\0';
    if (cJSON_IsTrue(sme2))
        snprintf(out, size, "; SME2, SVL %u", (unsigned)sl_value_u64(device, "svl_bits"));
    else if (cJSON_IsFalse(sme2))
        snprintf(out, size, "; no SME2: %s", sl_value_text(device, "no_sme2", ""));
}

static void look_at_devices(struct doctor *doctor, struct sl_client *client)
{
    struct sl_diag diag = {0};
    cJSON *answer = NULL;
    const cJSON *device;
    size_t count = 0;
    int rc = sl_client_get(client, "/api/v1/devices", NULL, &answer, &diag);
    if (rc < 0)
        find(doctor, LEVEL_BAD, "devices", diag.hint, "%s", diag.what);
    cJSON_ArrayForEach(device, sl_value(answer, "devices"))
    {
        const char *state = sl_value_text(device, "state", "");
        const char *detail = sl_value_text(device, "detail", "");
        bool offline = strcmp(state, "offline") == 0, out = strcmp(state, "quarantined") == 0;
        /* A phone that is unplugged is no fault of the lab's, and its detail says what to do. */
        char sme2[160];
        tell_sme2(device, sme2, sizeof(sme2));
        bool phone =
            sl_device_kind_is_phone(sl_device_kind_find(sl_value_text(device, "kind", "")));
        find(doctor,
             offline && !phone ? LEVEL_BAD
             : offline || out  ? LEVEL_NOTE
                               : LEVEL_GOOD,
             "device",
             offline ? (phone ? NULL : "the daemon's log says why")
             : out   ? "release it when it is well"
                     : NULL,
             "%.63s (%.20s) is %.20s%s%.160s%s", sl_value_text(device, "name", ""),
             sl_value_text(device, "kind", ""), state, *detail ? ": " : "", detail, sme2);
        count++;
    }
    if (rc == 0 && count == 0)
        find(doctor, LEVEL_NOTE, "devices", "name some in the configuration of sme2labd",
             "the daemon has no devices");
    cJSON_Delete(answer);
}

/* The server has told of its own phones; this lists those that need no server. */
static void look_at_usb(struct doctor *doctor, const struct sl_adb_look *look)
{
    struct sl_adb_listed *plugged = sl_calloc(MAX_FINDINGS, sizeof(*plugged));
    size_t count = plugged ? sl_adb_usb_list(plugged, MAX_FINDINGS) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct sl_adb_listed *phone = &plugged[i];
        bool served = false, open = phone->state == SL_ADB_ONLINE;
        for (size_t k = 0; k < look->count; k++)
            served = served || strcmp(look->listed[k].serial, phone->serial) == 0;
        if (!served)
            find(doctor, open ? LEVEL_GOOD : LEVEL_NOTE, "phone", sl_adb_state_fix(phone->state),
                 "%s%s%s at %s is %s", phone->serial, phone->model[0] ? ", " : "", phone->model,
                 phone->said,
                 open ? "reached without an adb server" : sl_adb_state_why(phone->state));
    }
    sl_free(plugged);
}

static void look_at_server(struct doctor *doctor, struct sl_adb_look *look)
{
    struct sl_diag diag = {.what = ""};
    int rc = sl_adb_look(look, &diag);
    if (rc < 0) {
        find(doctor, LEVEL_NOTE, "adb", diag.hint, "%s%s%s", diag.where, diag.where[0] ? ": " : "",
             diag.what[0] ? diag.what : sl_strerror(rc));
        look->count = 0;
        return;
    }
    find(doctor, LEVEL_GOOD, "adb", NULL, "server at %s, protocol %u, %zu device%s", look->server,
         look->version, look->count, look->count == 1 ? "" : "s");
    for (size_t i = 0; i < look->count; i++) {
        const struct sl_adb_listed *phone = &look->listed[i];
        bool online = phone->state == SL_ADB_ONLINE;
        find(doctor, online ? LEVEL_GOOD : LEVEL_NOTE, "phone", sl_adb_state_fix(phone->state),
             "%s%s%s is %s%s%s", phone->serial, phone->model[0] ? ", " : "", phone->model,
             online ? "ready" : phone->said, online ? "" : ": ", sl_adb_state_why(phone->state));
    }
}

/* A missing adb server is no fault: its user may want none. */
static void look_at_phones(struct doctor *doctor)
{
    struct sl_adb_look *look = sl_calloc(1, sizeof(*look));
    if (!look)
        return;
    look_at_server(doctor, look);
    look_at_usb(doctor, look);
    sl_free(look);
}

/* --- the store of a daemon that does not run --- */

static bool has_store(const char *state)
{
    char path[SL_PATH_BYTES];
    return sl_path_join(path, sizeof(path), state, SL_STORE_FILE) == 0 && access(path, F_OK) == 0;
}

/* The state of the daemon whose socket this is: beside it, or where the service has it. False:
 * neither has a store. */
static bool find_state(const struct sl_server_address *address, char out[SL_PATH_BYTES])
{
    static const char run[] = "/run/";
    char folder[SL_PATH_BYTES];
    snprintf(folder, sizeof(folder), "%s", address->socket);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    snprintf(out, SL_PATH_BYTES, "%s", folder);
    if (folder[0] && has_store(out))
        return true;
    return strncmp(folder, run, strlen(run)) == 0 &&
           sl_path_join(out, SL_PATH_BYTES, "/var/lib", "%s", folder + strlen(run)) == 0 &&
           has_store(out);
}

/* Splits the daemon's one line of its store, "sme2labd: WORDS (PLACE): FIX". */
static void tell_damage(struct doctor *doctor, const char *state, struct sl_child_result *said)
{
    static const char name[] = "sme2labd: ", place[] = "): ";
    char words[SL_TEXT_SIZE];
    const char *start = said->err.data ? (const char *)said->err.data : "";
    if (strncmp(start, name, strlen(name)) == 0)
        start += strlen(name);
    snprintf(words, sizeof(words), "%s", start);
    for (char *at = words; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    char *fix = strstr(words, place);
    if (fix) {
        fix[1] = '\0';
        fix += strlen(place);
    }
    find(doctor, LEVEL_BAD, "store", fix, "%s", words[0] ? words : state);
}

static void look_at_closed_store(struct doctor *doctor)
{
    struct sl_server_address address;
    struct sl_tool daemon;
    struct sl_child_result said;
    char state[SL_PATH_BYTES];
    if (sl_server_address_find(doctor->cli->server, &address, NULL) < 0 || !address.socket[0] ||
        !find_state(&address, state) || sl_tools_find_daemon(&daemon, NULL) < 0)
        return;
    const char *const argv[] = {daemon.path, "--check-store", "--state", state, NULL};
    const struct sl_child_spec spec = {.argv = argv, .timeout_ms = CHECK_MS};
    if (sl_child_run(&spec, &said, NULL) < 0)
        return;
    if (said.exit_code == 0)
        find(doctor, LEVEL_GOOD, "store", NULL, "%.200s/" SL_STORE_FILE " is whole", state);
    else
        tell_damage(doctor, state, &said);
    sl_child_fini(&said);
}

/* Without a daemon everything works that needs no queue; one that was asked for by name must be
 * there. */
static void look_at_daemon(struct doctor *doctor)
{
    struct sl_client *client = NULL;
    struct sl_diag diag = {0};
    cJSON *answer = NULL;
    const char *variable = getenv("SME2LAB_SERVER");
    bool asked_for = doctor->cli->server || (variable && *variable);
    int rc = sl_client_open_any(doctor->cli, &client, &diag);
    if (rc == 0)
        rc = sl_client_get(client, "/healthz", NULL, &answer, &diag);
    if (rc < 0) {
        find(doctor, asked_for || rc != -ECONNREFUSED ? LEVEL_BAD : LEVEL_NOTE, "daemon", diag.hint,
             "%s: %s", diag.where, diag.what);
        sl_client_free(client);
        look_at_closed_store(doctor);
        return;
    }
    const char *version = sl_value_text(answer, "version", "");
    find(doctor, LEVEL_GOOD, "daemon", NULL, "%.200s%s%.40s%s", sl_client_server(client),
         *version ? ", version " : "", version,
         sl_client_is_private(client) ? "; private: it starts when it is needed" : "");
    if (*version && strcmp(version, SL_VERSION) != 0)
        find(doctor, LEVEL_NOTE, "version", "bring both to the same version",
             "this program is " SL_VERSION);
    cJSON_Delete(answer);
    if (sl_client_get(client, "/readyz", NULL, NULL, &diag) == 0) {
        find(doctor, LEVEL_GOOD, "store", NULL, "answers");
        look_at_devices(doctor, client);
    } else {
        find(doctor, LEVEL_BAD, "store", diag.hint, "%s", diag.what);
    }
    sl_client_free(client);
}

static const char *const words[] = {"ok", "note", "missing"};

static int print(const struct doctor *doctor)
{
    static const int tones[] = {SL_TONE_GOOD, SL_TONE_PLAIN, SL_TONE_BAD};
    const struct sl_style style = {.width = doctor->cli->width, .color = doctor->cli->color};
    struct sl_buf out;
    int rc = 0;
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    for (size_t i = 0; i < doctor->count && rc == 0; i++) {
        const struct finding *finding = &doctor->findings[i];
        char head[48], text[SL_TEXT_SIZE];
        snprintf(head, sizeof(head), "%-8s", words[finding->level]);
        rc = sl_style_put(&out, &style, tones[finding->level], head);
        snprintf(head, sizeof(head), "%-9s ", finding->name);
        if (rc == 0)
            rc = sl_buf_append(&out, head, strlen(head));
        sl_text_copy(text, finding->text, strlen(finding->text));
        if (rc == 0)
            rc = sl_style_wrap(&out, &style, TEXT_COLUMN, TEXT_COLUMN, text);
        sl_text_copy(text, finding->fix, strlen(finding->fix));
        if (rc == 0 && text[0])
            rc = sl_buf_printf(&out, "%*sfix: ", TEXT_COLUMN, "");
        if (rc == 0 && text[0])
            rc = sl_style_wrap(&out, &style, FIX_COLUMN, FIX_COLUMN, text);
    }
    if (rc == 0)
        sl_say_page(stdout, &out);
    sl_buf_fini(&out);
    return rc;
}

static int print_json(const struct doctor *doctor)
{
    struct sl_buf out;
    struct sl_json json;
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    sl_json_init(&json, &out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.doctor/1");
    sl_json_open_array(&json, "findings");
    for (size_t i = 0; i < doctor->count; i++) {
        const struct finding *finding = &doctor->findings[i];
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "level", words[finding->level]);
        sl_json_text(&json, "name", finding->name);
        sl_json_text(&json, "text", finding->text);
        sl_json_text(&json, "fix", finding->fix[0] ? finding->fix : NULL);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int rc = json.error < 0 ? json.error : sl_buf_print_line(&out);
    sl_buf_fini(&out);
    return rc;
}

int sl_cmd_doctor(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "doctor",
        .synopsis = "[option...]",
        .about =
            "Looks at what measuring needs: this machine, the emulator, the agent, the daemon\n"
            "and its devices; says for each what is wrong and how to put it right.",
        .speaks_http = true,
        .notes = "Exit codes: 0 all that is needed is there, 5 something is missing."};
    static struct doctor doctor;
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    doctor.cli = cli;
    look_at_tools(&doctor);
    look_at_phones(&doctor);
    look_at_daemon(&doctor);
    int rc = cli->json ? print_json(&doctor) : print(&doctor);
    bool bad = false;
    for (size_t i = 0; i < doctor.count; i++)
        bad = bad || doctor.findings[i].level == LEVEL_BAD;
    return rc < 0 ? sl_exit_for_error(rc) : bad ? SL_EXIT_LAB : SL_EXIT_DONE;
}
