/* host/cli/private_daemon.c */
#include "host/cli/private_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "common/base/socket.h"
#include "host/cli/private_heir.h"
#include "host/cli/private_sweep.h"
#include "host/device/launch.h"

enum {
    KEY_DIGITS = 12,
    MAX_TEXT_BYTES = 1 << 16,
    START_MS = 20000,
    LOOK_MS = 20,
    WORDS_BYTES = 200,
};

/* --- where it is --- */

/* Adds size and time of a tool, which tell its builds apart. */
static void add_tool(struct sl_buf *text, int found, const struct sl_tool *tool)
{
    struct stat info;
    if (found < 0 || stat(tool->path, &info) < 0)
        sl_buf_printf(text, "-\n");
    else
        sl_buf_printf(text, "%s %lld %lld.%09ld\n", tool->path, (long long)info.st_size,
                      (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

static void make_key(const char *cpu, const struct sl_tool *daemon, char out[KEY_DIGITS + 1])
{
    struct sl_tool tool;
    struct sl_buf text;
    char digest[SL_SHA256_HEX_SIZE];
    sl_buf_init(&text, MAX_TEXT_BYTES);
    sl_buf_printf(&text, SL_VERSION "\n%s\n", cpu);
    add_tool(&text, 0, daemon);
    add_tool(&text, sl_tools_find_agent(&tool, NULL), &tool);
    add_tool(&text, sl_tools_find_native_agent(&tool, NULL), &tool);
    add_tool(&text, sl_tools_find_emulator(&tool, NULL), &tool);
    add_tool(&text, sl_tools_find_executorch(&tool, NULL), &tool);
    sl_sha256_hex(text.data ? text.data : (const uint8_t *)"", text.size, digest);
    snprintf(out, KEY_DIGITS + 1, "%.*s", KEY_DIGITS, digest);
    sl_buf_fini(&text);
}

static int name_files(struct sl_private_daemon *daemon, struct sl_diag *diag)
{
    if (sl_path_join(daemon->config, sizeof(daemon->config), daemon->state, "private.json") < 0)
        return sl_diag_set(diag, SL_E_LIMIT, daemon->state,
                           "The state directory's path is too long");
    return sl_paths_socket(daemon->state, daemon->socket, diag);
}

int sl_private_daemon_find(const char *cpu, struct sl_private_daemon *out, struct sl_diag *diag)
{
    struct sl_tool program;
    char root[SL_PATH_BYTES], key[KEY_DIGITS + 1];
    *out = (struct sl_private_daemon){.cpu = ""};
    int rc = sl_tools_find_daemon(&program, diag);
    if (rc == 0)
        rc = sl_paths_state(root, diag);
    if (rc < 0)
        return rc;
    snprintf(out->cpu, sizeof(out->cpu), "%s", cpu ? cpu : "");
    snprintf(out->program, sizeof(out->program), "%s", program.path);
    make_key(out->cpu, &program, key);
    if (sl_path_join(out->state, sizeof(out->state), root, "private/%s", key) < 0)
        return sl_diag_set(diag, SL_E_LIMIT, root, "The state directory's path is too long");
    return name_files(out, diag);
}

static bool was_started(const struct sl_private_daemon *daemon)
{
    return access(daemon->config, R_OK) == 0;
}

/* The folder that has one state beside the other. */
static const char *root_of(const struct sl_private_daemon *daemon, char out[SL_PATH_BYTES])
{
    snprintf(out, SL_PATH_BYTES, "%s", daemon->state);
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
    return out;
}

bool sl_private_daemon_of(const char *socket, struct sl_private_daemon *out)
{
    struct sl_tool program;
    const char *slash = strrchr(socket, '/');
    *out = (struct sl_private_daemon){.cpu = ""};
    if (!slash || (size_t)(slash - socket) >= sizeof(out->state) ||
        sl_tools_find_daemon(&program, NULL) < 0)
        return false;
    snprintf(out->state, sizeof(out->state), "%.*s", (int)(slash - socket), socket);
    snprintf(out->program, sizeof(out->program), "%s", program.path);
    return name_files(out, NULL) == 0 && strcmp(out->socket, socket) == 0 && was_started(out);
}

bool sl_private_daemon_known(const struct sl_private_daemon *daemon)
{
    char root[SL_PATH_BYTES], last[SL_PATH_BYTES];
    return was_started(daemon) ||
           (!daemon->cpu[0] && sl_private_last(root_of(daemon, root), last, sizeof(last)));
}

bool sl_private_daemon_in_use(const struct sl_private_daemon *daemon, struct sl_private_daemon *out)
{
    char root[SL_PATH_BYTES];
    *out = *daemon;
    return !daemon->cpu[0] && !was_started(daemon) &&
           sl_private_used(root_of(daemon, root), out->state, sizeof(out->state)) &&
           name_files(out, NULL) == 0 && sl_private_daemon_listens(out->socket);
}

bool sl_private_daemon_listens(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof(address.sun_path))
        return false;
    memcpy(address.sun_path, path, len);
    int fd = sl_socket(AF_UNIX, SOCK_STREAM, false);
    if (fd < 0)
        return false;
    int rc = connect(fd, (const struct sockaddr *)&address, sizeof(address));
    close(fd);
    return rc == 0;
}

/* --- its configuration --- */

static void put_device(struct sl_json *json, const char *kind, unsigned svl, const char *cpu)
{
    char name[48];
    snprintf(name, sizeof(name), svl != 0 ? "%s-%u" : "%s", kind, svl);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", name);
    sl_json_text(json, "kind", kind);
    if (svl != 0)
        sl_json_u64(json, "svl", svl);
    if (cpu)
        sl_json_text(json, "cpu", cpu);
    sl_json_close_object(json);
}

/* All that this machine can be. */
static void put_devices(struct sl_json *json, const char *cpu)
{
    struct sl_device device;
    sl_json_open_array(json, "devices");
    if (sl_device_open(SL_DEVICE_LOCAL, 0, NULL, &device, NULL) == 0)
        put_device(json, "local", 0, NULL);
    bool emulates = sl_device_open(SL_DEVICE_COUNTED, 512, NULL, &device, NULL) == 0;
    for (unsigned svl = 128; emulates && !cpu[0] && svl <= 2048; svl *= 2) {
        put_device(json, "counted", svl, NULL);
        put_device(json, "emulated", svl, NULL);
    }
    if (emulates && cpu[0]) {
        put_device(json, "counted", 0, cpu);
        put_device(json, "emulated", 0, cpu);
    }
    sl_json_close_array(json);
}

static int write_config(const struct sl_private_daemon *daemon, struct sl_diag *diag)
{
    char listen[SL_PATH_BYTES + 8], log[SL_PATH_BYTES + 16];
    struct sl_buf text;
    struct sl_json json;
    snprintf(listen, sizeof(listen), "unix:%s", daemon->socket);
    sl_path_join(log, sizeof(log), daemon->state, "sme2labd.log");
    sl_buf_init(&text, MAX_TEXT_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_open_array(&json, "listen");
    sl_json_text(&json, NULL, listen);
    sl_json_close_array(&json);
    sl_json_text(&json, "log_file", log);
    sl_json_u64(&json, "idle_exit_seconds", SL_PRIVATE_IDLE_SECONDS);
    sl_json_bool(&json, "agents_on_demand", true);
    sl_json_bool(&json, "adb", true);
    put_devices(&json, daemon->cpu);
    sl_json_close_object(&json);
    int rc = json.error;
    if (rc == 0)
        rc = sl_buf_write_file(daemon->config, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0 ? sl_diag_set(diag, rc, daemon->config, "The file cannot be written (%s)",
                                sl_strerror(rc))
                  : 0;
}

/* --- starting it --- */

static void pause_ms(long ms)
{
    struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&span, NULL);
}

/* The daemon, in a session of its own: what ends this program's terminal or group does not end it.
 */
static pid_t launch(const struct sl_private_daemon *daemon, int errors)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    int null = open("/dev/null", O_RDWR);
    setsid();
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
        close(fd);
    if (chdir("/") == 0)
        execl(daemon->program, "sme2labd", "--state", daemon->state, "--config", daemon->config,
              (char *)NULL);
    _exit(127);
}

/* The first words of its own in the file from `start` on; empty where there are none. */
static void read_words(const char *path, off_t start, char out[WORDS_BYTES])
{
    static const char name[] = "sme2labd: ";
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, start);
    text[n > 0 ? n : 0] = '\0';
    const char *words = strstr(text, name);
    words = words ? words + strlen(name) : "";
    snprintf(out, WORDS_BYTES, "%.*s", (int)strcspn(words, "\n"), words);
    if (fd >= 0)
        close(fd);
}

static off_t size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : 0;
}

/* Why it did not start, in its own words: before it has opened its log, or since then. */
static int read_failure(const struct sl_private_daemon *daemon, const char *errors, const char *log,
                        off_t log_start, struct sl_diag *diag)
{
    char words[WORDS_BYTES];
    read_words(errors, 0, words);
    if (!words[0])
        read_words(log, log_start, words);
    sl_diag_hint(diag, "its state, for sme2labd --state, and its log are in %.140s", daemon->state);
    return sl_diag_set(diag, -EIO, daemon->program, "The daemon for this run does not start%s%s",
                       words[0] ? ": " : "", words);
}

static int launch_and_wait(const struct sl_private_daemon *daemon, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES + 16], log[SL_PATH_BYTES + 16];
    sl_path_join(path, sizeof(path), daemon->state, "start.log");
    sl_path_join(log, sizeof(log), daemon->state, "sme2labd.log");
    off_t log_start = size_of(log);
    int errors = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = 0;
    if (errors < 0)
        return sl_diag_set(diag, -errno, path, "The file cannot be made");
    pid_t pid = launch(daemon, errors);
    if (pid < 0)
        rc = sl_diag_set(diag, -errno, daemon->program, "The daemon cannot be started");
    bool ended = false;
    for (int ms = 0; rc == 0 && !sl_private_daemon_listens(daemon->socket); ms += LOOK_MS) {
        ended = waitpid(pid, NULL, WNOHANG) == pid;
        if (ended || ms >= START_MS)
            rc = read_failure(daemon, path, log, log_start, diag);
        else
            pause_ms(LOOK_MS);
    }
    close(errors);
    return rc;
}

/* Removes what other builds of the tools left long ago; this start renews our own. */
static void tidy(const struct sl_private_daemon *daemon)
{
    char root[SL_PATH_BYTES];
    utimensat(AT_FDCWD, daemon->config, NULL, 0);
    sl_private_sweep(root_of(daemon, root), daemon->state, SL_PRIVATE_KEEP_S);
}

/* The store of the last tools becomes that of these, where these have none and nobody uses it. */
static void take_over(const struct sl_private_daemon *daemon)
{
    char root[SL_PATH_BYTES], lock_path[SL_PATH_BYTES + 8];
    if (daemon->cpu[0] || was_started(daemon))
        return;
    sl_path_join(lock_path, sizeof(lock_path), root_of(daemon, root), ".lock");
    int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX) == 0 && !was_started(daemon))
        sl_private_take_over(root, daemon->state);
    if (lock >= 0)
        close(lock);
}

int sl_private_daemon_start(const struct sl_private_daemon *daemon, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES + 16];
    if (sl_private_daemon_listens(daemon->socket))
        return 0;
    take_over(daemon);
    int rc = sl_paths_make(daemon->state, diag);
    if (rc < 0)
        return rc;
    sl_path_join(path, sizeof(path), daemon->state, "start.lock");
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) < 0) /* that of a dead starter is given back */
        rc = sl_diag_set(diag, -errno, path, "The lock cannot be had");
    if (rc == 0 && !sl_private_daemon_listens(daemon->socket)) {
        rc = was_started(daemon) ? 0 : write_config(daemon, diag);
        if (rc == 0) {
            tidy(daemon);
            rc = launch_and_wait(daemon, diag);
        }
    }
    if (lock >= 0)
        close(lock);
    return rc;
}
