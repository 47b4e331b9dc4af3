/* host/cli/cmd_watch.c: `sme2lab watch` and `sme2lab wait`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/fetch.h"
#include "host/cli/follow.h"
#include "host/cli/group.h"
#include "host/cli/interrupt.h"
#include "host/cli/options.h"
#include "host/cli/outcome.h"
#include "host/cli/watch_lab.h"
#include "host/rundir/run.h"

enum { MAX_JOBS = 256, MAX_JSON_BYTES = 8 << 20, MAX_PATH_BYTES = 1024 };

static const char codes[] =
    "Exit codes: 0 faster, equivalent, or slower within the job's threshold; 1 the run failed or\n"
    "its output is wrong; 2 the request was; 3 slower beyond the threshold; 4 no verdict "
    "possible;\n"
    "5 the lab or the daemon failed; 130 cancelled, or this program interrupted: the job goes on.";

/* Interrupted: the job goes on, and this is how to come back. */
static int leave(const struct sl_cli *cli, uint64_t job)
{
    if (!cli->quiet)
        sl_say(stderr,
               "job %" PRIu64 " goes on: 'sme2lab watch %" PRIu64 "' shows it again, 'sme2lab "
               "cancel %" PRIu64 "' stops it\n",
               job, job, job);
    return sl_interrupt_exit();
}

/* The options of watch and wait. */
struct wish {
    bool show;
    bool lab;              /* what happens to all jobs and devices */
    const char *directory; /* for the run's files; NULL: they stay with the daemon */
};

static int fetch(struct sl_client *client, const struct sl_outcome *outcome, const char *directory,
                 struct sl_diag *diag)
{
    if (!directory || !sl_outcome_has_files(outcome))
        return 0;
    int rc = sl_rundir_make_directories(directory, diag);
    return rc < 0 ? rc : sl_fetch_run(client, outcome->run, false, directory, diag);
}

static int follow(const struct sl_cli *cli, struct sl_client *client, uint64_t job,
                  const struct wish *wish, struct sl_outcome *out)
{
    struct sl_diag diag = {0};
    int rc = sl_follow_job(cli, client, job, wish->show, &diag);
    if (rc == 0)
        rc = sl_outcome_fetch(client, job, out, &diag);
    if (rc == 0)
        rc = fetch(client, out, wish->directory, &diag);
    if (rc == -EINTR)
        return leave(cli, job);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : out->exit_code;
}

/* The jobs that the words come to. */
struct jobs {
    uint64_t *ids; /* owned */
    size_t count;
    bool grouped;
};

/* Each run of a group has a folder of its own, named by its job's number. */
static int follow_next(const struct sl_cli *cli, struct sl_client *client, const struct jobs *jobs,
                       size_t i, const struct wish *wish, struct sl_outcome *out)
{
    char folder[MAX_PATH_BYTES];
    struct sl_diag diag = {0};
    struct wish own = *wish;
    if (wish->directory && jobs->grouped) {
        int rc = sl_path_join(folder, sizeof(folder), wish->directory, "%" PRIu64, jobs->ids[i]);
        if (rc < 0)
            return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
        own.directory = folder;
    }
    return follow(cli, client, jobs->ids[i], &own, out);
}

/* All jobs one after the other; the first failure of the daemon ends it. */
static int follow_all(const struct sl_cli *cli, struct sl_client *client, const struct jobs *jobs,
                      const struct wish *wish)
{
    struct sl_buf text;
    struct sl_json json;
    int code = SL_EXIT_DONE;
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    if (jobs->count > 1)
        sl_json_open_array(&json, NULL);
    size_t ended = 0;
    for (size_t i = 0; i < jobs->count && ended == i; i++) {
        struct sl_outcome outcome = {.job = 0};
        code = sl_outcome_worse(code, follow_next(cli, client, jobs, i, wish, &outcome));
        ended += outcome.ended ? 1 : 0;
        if (outcome.ended && cli->json)
            sl_outcome_json(&outcome, &json);
        else if (outcome.ended)
            sl_outcome_print(&outcome);
        fflush(stdout);
    }
    if (jobs->count > 1)
        sl_json_close_array(&json);
    if (cli->json && ended > 0 && json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return code;
}

static int add(struct jobs *jobs, const uint64_t *ids, size_t count)
{
    uint64_t *more = sl_realloc(jobs->ids, jobs->count + count, sizeof(*more));
    if (!more)
        return -ENOMEM;
    jobs->ids = more;
    memcpy(jobs->ids + jobs->count, ids, count * sizeof(*ids));
    jobs->count += count;
    return 0;
}

static int add_group(struct jobs *jobs, struct sl_client *client, uint64_t id, struct sl_diag *diag)
{
    struct sl_group_job *all = NULL;
    size_t count = 0;
    int rc = sl_group_jobs(client, id, &all, &count, diag);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = add(jobs, &all[i].job, 1);
    sl_free(all);
    jobs->grouped = true;
    return rc;
}

static int follow_lab(const struct sl_cli *cli, const struct wish *wish)
{
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    if (wish->directory)
        return sl_cli_fail(
            cli, SL_EXIT_USAGE,
            &(struct sl_diag){.what = "--out is for a job or a group", .where = "command line"});
    int rc = sl_client_open_any(cli, &client, &diag);
    sl_interrupt_catch();
    if (rc == 0)
        rc = sl_watch_lab(cli, client, &diag);
    sl_client_free(client);
    if (rc == -EINTR)
        return sl_interrupt_exit();
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

static int run(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
               size_t max_words, const struct wish *wish)
{
    const char *words[MAX_JOBS];
    uint64_t ids[MAX_JOBS], group;
    struct jobs jobs = {.ids = NULL};
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    size_t count;
    int code, rc = 0;
    if (!sl_ask_words(cli, usage, argc, argv, words, max_words, NULL, &count, &code))
        return code;
    if (wish->lab && count == 0)
        return follow_lab(cli, wish);
    if (count == 0 || wish->lab) {
        sl_diag_hint(&diag, "usage: sme2lab %s %s", usage->verb, usage->synopsis);
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line",
                         count == 0 ? "name a job or a group" : "--lab watches all of them");
    }
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = sl_group_named(words[i], &group) ? 0 : sl_answer_id(words[i], "job", &ids[i], &diag);
    if (rc == 0)
        rc = sl_client_open_any(cli, &client, &diag);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = sl_group_named(words[i], &group) ? add_group(&jobs, client, group, &diag)
                                              : add(&jobs, &ids[i], 1);
    if (rc == 0) {
        sl_interrupt_catch();
        code = follow_all(cli, client, &jobs, wish);
    }
    sl_client_free(client);
    sl_free(jobs.ids);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : code;
}

int sl_cmd_watch(const struct sl_cli *cli, int argc, char **argv)
{
    struct wish wish = {.show = true};
    const struct sl_option options[] = {
        {"--out", 'o', SL_OPTION_TEXT, &wish.directory, "DIR",
         "fetch the run's files to there when it has ended"},
        {"--lab", 0, SL_OPTION_FLAG, &wish.lab, NULL,
         "in place of a job: what happens to all jobs and devices, a line an event"}};
    const struct sl_usage usage = {
        .verb = "watch",
        .synopsis = "JOB|gN|--lab [option...]",
        .about =
            "Shows a job as it goes, on a terminal in one line that is drawn again; in a pipe\n"
            "only how it ended; with --json each event as a line, the outcome last. With -v\n"
            "lines of the run's log come between. A lost connection is taken up again. Ctrl-C\n"
            "leaves the job running. Of a group the jobs come one after the other, and --out\n"
            "gets a folder for each.",
        .options = options,
        .option_count = 2,
        .speaks_http = true,
        .notes = codes};
    return run(cli, &usage, argc, argv, 1, &wish);
}

int sl_cmd_wait(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {.verb = "wait",
                                          .synopsis = "JOB|gN... [option...]",
                                          .about = "Waits until all these jobs have ended, and "
                                                   "says how. The exit code is that of the worst\n"
                                                   "outcome.",
                                          .speaks_http = true,
                                          .notes = codes};
    static const struct wish wish = {.show = false};
    return run(cli, &usage, argc, argv, MAX_JOBS, &wish);
}
