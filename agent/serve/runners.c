/* agent/serve/runners.c */
#include "agent/serve/runners.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/probe/crash_log.h"
#include "agent/run/schedule.h"
#include "agent/run/threads.h"
#include "agent/runtime/affinity.h"
#include "agent/serve/command.h"
#include "common/base/buf.h"
#include "common/base/child.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "common/base/process.h"
#include "common/base/say.h"
#include "proto/job.pb-c.h"

enum {
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    PATH_BYTES = 1024,
    STEM_BYTES = 32,
    MAX_ARMS = 64,
    MAX_PROCESSES = 200,
    MAX_VARIABLES = 512,
    MAX_REQUEST_BYTES = 1 << 20,
    MAX_REPORT_BYTES = 8 << 20,
};

struct arm {
    const Sme2lab__Proto__Arm *asked;
    uint32_t done;
    bool failed, lacks_outputs; /* its program does not know --output_file */
};

struct runners {
    const char *workdir, *directory;
    Sme2lab__Proto__Job *job;
    struct arm arms[MAX_ARMS];
    uint64_t most_bytes;         /* of files that an arm may leave */
    bool cpus[SL_AFFINITY_CPUS]; /* of this process before */
    uint32_t order;              /* processes so far, of all arms */
    struct sl_buf text;
    struct sl_json json; /* runners.json */
};

extern char **environ;

static volatile sig_atomic_t interrupted;

static void on_term(int number)
{
    (void)number;
    interrupted = 1;
}

/* --- one process --- */

/* The environment of one process: its libraries' folder, the arm's variables, and the agent's other
 * variables. */
struct environment {
    const char *list[MAX_VARIABLES + 1]; /* borrowed, NULL at the end */
    size_t count;
    char library_path[PATH_BYTES];
};

/* The value of the variable that is named before the '='; NULL: none is. */
static const char *value_of(const char *const *list, size_t count, const char *variable)
{
    size_t len = strcspn(variable, "=");
    for (size_t i = 0; i < count; i++)
        if (strncmp(list[i], variable, len) == 0 && list[i][len] == '=')
            return list[i] + len + 1;
    return NULL;
}

static bool add_variable(struct environment *out, const char *variable)
{
    if (value_of(out->list, out->count, variable))
        return true;
    if (out->count == MAX_VARIABLES)
        return false;
    out->list[out->count++] = variable;
    return true;
}

static int make_environment(const struct runners *runners, const Sme2lab__Proto__Arm *arm,
                            struct environment *out, struct sl_diag *diag)
{
    const char *said = value_of((const char *const *)arm->environment, arm->n_environment,
                                sl_process_library_path);
    const char *old = said ? said : getenv(sl_process_library_path);
    bool fits = true;
    *out = (struct environment){.count = 0};
    int len = snprintf(out->library_path, PATH_BYTES, "%s=%s/runners/%" PRIu32 "/bin%s%s",
                       sl_process_library_path, runners->directory, arm->place, old ? ":" : "",
                       old ? old : "");
    if (arm->n_libraries > 0 && (len < 0 || len >= PATH_BYTES))
        return sl_diag_set(diag, -ENAMETOOLONG, sl_process_library_path,
                           "The list of libraries' folders is longer than %d bytes", PATH_BYTES);
    if (arm->n_libraries > 0)
        fits = add_variable(out, out->library_path);
    for (size_t i = 0; fits && i < arm->n_environment; i++)
        fits = add_variable(out, arm->environment[i]);
    for (size_t i = 0; fits && environ[i]; i++)
        fits = add_variable(out, environ[i]);
    return fits ? 0
                : sl_diag_set(diag, SL_E_LIMIT, "runner_environment",
                              "The environment has more than %d variables", MAX_VARIABLES);
}

/* The runner inherits them; without words those that this process had. */
static int set_cpus(const struct runners *runners, const char *words, struct sl_diag *diag)
{
    bool cpus[SL_AFFINITY_CPUS] = {false};
    if (!words[0]) {
        (void)sl_affinity_set(runners->cpus);
        return 0;
    }
    if (sl_affinity_is_by_kind())
        return sl_diag_set(diag, SL_E_UNSUPPORTED, words, "CPUs cannot be chosen here");
    if (!sl_threads_parse_cpus(words, cpus))
        return sl_diag_set(diag, SL_E_FORMAT, words, "These are no CPUs");
    int rc = sl_affinity_set(cpus);
    return rc == 0 ? 0
                   : sl_diag_set(diag, rc, words, "The CPUs cannot be had (%s)", sl_strerror(rc));
}

/* The runner has its CPUs by now: who watches it shall not take time from it there. */
static void leave_cpus(void *user)
{
    (void)set_cpus(user, "", NULL);
}

/* Removes what another process left: nobody is to take it for this one's. */
static void remove_outputs(const char *stem, uint32_t place)
{
    char path[STEM_BYTES + 8];
    snprintf(path, sizeof(path), "%s.etdump", stem);
    unlink(path);
    for (unsigned i = 0, removed = 1; removed; i++) {
        snprintf(path, sizeof(path), "%" PRIu32 "-%u.bin", place, i);
        removed = unlink(path) == 0;
    }
}

static int start(struct runners *runners, const struct arm *arm, const char *stem,
                 uint32_t executions, struct sl_child_result *out, struct sl_diag *diag)
{
    const struct sl_command_process process = {stem, executions, !arm->lacks_outputs};
    struct sl_command command;
    struct environment environment;
    int rc = sl_command_init_arm(&command, runners->workdir, runners->directory, runners->job,
                                 arm->asked, &process);
    if (rc < 0)
        return sl_diag_set(diag, rc, arm->asked->program, "The runner's command line cannot be");
    remove_outputs(stem, arm->asked->place);
    rc = make_environment(runners, arm->asked, &environment, diag);
    if (rc == 0)
        rc = set_cpus(runners, arm->asked->affinity, diag);
    const struct sl_child_spec spec = {.argv = (const char *const *)command.argv,
                                       .environment = environment.list,
                                       .timeout_ms = command.time_limit_ms,
                                       .interrupted = &interrupted,
                                       .on_started = leave_cpus,
                                       .user = runners};
    if (rc == 0)
        rc = sl_child_run(&spec, out, diag);
    sl_command_fini(&command);
    return rc;
}

static const char *text_of(const struct sl_buf *buf)
{
    return buf->data ? (const char *)buf->data : "";
}

/* Runners of older releases refuse the flag. */
static bool refuses_outputs(const struct sl_child_result *child)
{
    const char *said = text_of(child->err.size > 0 ? &child->err : &child->out);
    return child->exit_code == 1 && strstr(said, "unknown command line flag") &&
           strstr(said, "output_file");
}

static bool left_etdump(const char *stem)
{
    char etdump[STEM_BYTES + 8];
    struct stat info;
    snprintf(etdump, sizeof(etdump), "%s.etdump", stem);
    return lstat(etdump, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

/* Counts the bytes of all files that processes of the arm left so far. */
static uint64_t bytes_of(uint32_t place)
{
    char prefix[STEM_BYTES];
    uint64_t bytes = 0;
    struct stat info;
    DIR *folder = opendir(".");
    int len = snprintf(prefix, sizeof(prefix), "%" PRIu32 "-", place);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, prefix, (size_t)len) == 0 && lstat(entry->d_name, &info) == 0)
            bytes += (uint64_t)info.st_size;
    if (folder)
        closedir(folder);
    return bytes;
}

/* Each arm has its limit, so that none takes another's. Past it the process has failed, and its
 * files go. */
static bool keep_limit(const struct runners *runners, const struct arm *arm, const char *stem,
                       struct sl_diag *diag)
{
    char log[STEM_BYTES + 8];
    uint64_t bytes = bytes_of(arm->asked->place);
    if (bytes <= runners->most_bytes)
        return true;
    remove_outputs(stem, arm->asked->place);
    snprintf(log, sizeof(log), "%s.log", stem);
    unlink(log);
    sl_diag_set(diag, SL_E_FULL, arm->asked->program,
                "with this process the experiment's ETDumps, logs and outputs have %" PRIu64
                " MiB, more than the agent keeps of one (%" PRIu64 "; its --spool-mib)",
                bytes >> 20, runners->most_bytes >> 20);
    return false;
}

/* Writes what a process printed: its log before its outputs. */
static int write_log(const char *stem, struct sl_child_result *child)
{
    char path[STEM_BYTES + 8];
    snprintf(path, sizeof(path), "%s.log", stem);
    child->err.limit = 2 * (size_t)SL_CHILD_MAX_OUTPUT;
    int rc = sl_buf_append(&child->err, text_of(&child->out), child->out.size);
    return rc < 0 ? rc : sl_buf_write_file(path, text_of(&child->err), child->err.size);
}

/* The parent's log takes what the system noted of a runner that crashed. */
static void say_crash(const struct sl_child_result *child, uint64_t began_utc_ms)
{
    struct sl_buf said;
    if (child->signal == 0 || child->timed_out)
        return;
    sl_buf_init(&said, SL_CRASH_LOG_BYTES);
    sl_crash_log_read("/", child->pid, began_utc_ms, &said);
    if (said.size > 0)
        sl_say(stderr, "%.*s", (int)said.size, (const char *)said.data);
    sl_buf_fini(&said);
}

static void put_row(struct runners *runners, const struct arm *arm, uint32_t executions,
                    const struct sl_child_result *child, const char *problem)
{
    struct sl_json *json = &runners->json;
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "arm", arm->asked->place);
    sl_json_u64(json, "order", runners->order++);
    sl_json_u64(json, "executions", executions);
    sl_json_u64(json, "exit_code", child->exit_code > 0 ? (uint64_t)child->exit_code : 0);
    sl_json_u64(json, "signal", (uint64_t)child->signal);
    sl_json_bool(json, "timed_out", child->timed_out);
    sl_json_bool(json, "etdump", !arm->failed);
    sl_json_bool(json, "outputs", !arm->lacks_outputs);
    sl_json_u64(json, "wall_ns", child->wall_ns);
    sl_json_u64(json, "stderr_bytes", child->err.size);
    if (problem)
        sl_json_text(json, "problem", problem);
    sl_json_close_object(json);
}

/* One process of the arm. 0 however it ended, -EINTR, or why it cannot be recorded. */
static int run_process(struct runners *runners, struct arm *arm)
{
    const Sme2lab__Proto__Arm *asked = arm->asked;
    uint32_t executions = asked->warmup + asked->runs / asked->processes +
                          (arm->done < asked->runs % asked->processes);
    struct sl_child_result child = {.exit_code = -1};
    struct sl_diag diag = {.what = ""};
    char stem[STEM_BYTES];
    snprintf(stem, sizeof(stem), "%" PRIu32 "-%" PRIu32, asked->place, arm->done);
    uint64_t began_utc_ms = sl_clock_utc_ms();
    int rc = start(runners, arm, stem, executions, &child, &diag);
    if (rc == 0 && !arm->lacks_outputs && refuses_outputs(&child)) {
        sl_child_fini(&child);
        arm->lacks_outputs = true;
        rc = start(runners, arm, stem, executions, &child, &diag);
    }
    if (rc == -EINTR)
        return rc;
    if (rc < 0) /* it cannot be started, which is its end */
        child = (struct sl_child_result){.exit_code = -1};
    say_crash(&child, began_utc_ms);
    arm->failed = rc < 0 || child.signal != 0 || child.exit_code != 0 || !left_etdump(stem);
    rc = rc < 0 ? 0 : write_log(stem, &child);
    if (rc == 0 && !keep_limit(runners, arm, stem, &diag))
        arm->failed = true;
    put_row(runners, arm, executions, &child, diag.what[0] ? diag.what : NULL);
    arm->done += !arm->failed;
    sl_child_fini(&child);
    return rc;
}

/* --- all of them --- */

static int run_rounds(struct runners *runners)
{
    size_t count = runners->job->n_arms;
    int rc = 0;
    for (uint32_t round = 0; rc == 0 && round < MAX_PROCESSES; round++) {
        bool back = sl_schedule_first(runners->job->seed, round) != 0;
        for (size_t i = 0; rc == 0 && i < count; i++) {
            struct arm *arm = &runners->arms[back ? count - 1 - i : i];
            if (round < arm->asked->processes && !arm->failed)
                rc = run_process(runners, arm);
        }
    }
    return rc;
}

/* Also what was done by an interrupt. */
static int run_all(struct runners *runners)
{
    sl_buf_init(&runners->text, MAX_REPORT_BYTES);
    sl_json_init(&runners->json, &runners->text);
    sl_json_open_array(&runners->json, NULL);
    int rc = run_rounds(runners);
    sl_json_close_array(&runners->json);
    int written = runners->json.error;
    if (written == 0)
        written = sl_buf_write_file("runners.json", runners->text.data, runners->text.size);
    sl_buf_fini(&runners->text);
    return rc < 0 ? rc : written;
}

static bool is_sound(const Sme2lab__Proto__Job *job)
{
    bool sound = job && job->n_arms > 0 && job->n_arms <= MAX_ARMS;
    for (size_t i = 0; sound && i < job->n_arms; i++)
        sound = job->arms[i]->processes > 0 && job->arms[i]->processes <= MAX_PROCESSES;
    return sound;
}

static int read_request(const char *directory, Sme2lab__Proto__Job **out)
{
    char path[PATH_BYTES];
    struct sl_buf bytes;
    int rc = sl_path_join(path, sizeof(path), directory, "request");
    if (rc == 0)
        rc = sl_buf_read_file(path, MAX_REQUEST_BYTES, &bytes);
    if (rc < 0)
        return rc;
    *out = sme2lab__proto__job__unpack(NULL, bytes.size, bytes.data);
    sl_buf_fini(&bytes);
    return is_sound(*out) ? 0 : SL_E_FORMAT;
}

int sl_runners_main(int argc, char **argv)
{
    struct runners runners = {.workdir = argc > 1 ? argv[1] : NULL};
    struct sigaction action = {.sa_handler = on_term};
    int code = EXIT_USAGE;
    if (argc != 5) {
        sl_say(stderr, "sme2lab-agent: say runners WORKDIR JOB PARENT BYTES, as serve does\n");
        return code;
    }
    runners.directory = argv[2];
    runners.most_bytes = strtoull(argv[4], NULL, 10);
    sl_affinity_read(runners.cpus);
    sigaction(SIGTERM, &action, NULL);
    (void)fcntl(SL_COMMAND_RING_FD, F_SETFD, FD_CLOEXEC); /* `serve` gives it to every job */
    /* Without its parent nobody would take what is measured, nor end it. */
    int rc = sl_process_end_with((pid_t)strtol(argv[3], NULL, 10), SIGTERM);
    if (rc == 0)
        rc = read_request(runners.directory, &runners.job);
    if (rc == 0) {
        for (size_t i = 0; i < runners.job->n_arms; i++)
            runners.arms[i].asked = runners.job->arms[i];
        rc = run_all(&runners);
        code = rc < 0 ? EXIT_FAILED : 0;
    }
    if (rc < 0)
        sl_say(stderr, "sme2lab-agent: %s: %s\n", runners.directory, sl_strerror(rc));
    if (runners.job)
        sme2lab__proto__job__free_unpacked(runners.job, NULL);
    return code;
}
