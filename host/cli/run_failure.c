/* host/cli/run_failure.c */
#include "host/cli/run_failure.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/estimated_policy.h"
#include "host/cli/fetch.h"
#include "host/cli/interrupt.h"
#include "host/cli/job_sender.h"
#include "host/cli/outcome.h"
#include "host/inspect/inspect.h"
#include "host/spec/path_stem.h"

enum {
    PATH_BYTES = 1024,
    TEXT_BYTES = 1024,
    MAX_LOG_BYTES = 64 << 20,
    DIGEST_DIGITS = SL_SHA256_HEX_SIZE - 1
};

#define MAX_MODEL_BYTES (UINT64_C(4) << 30)

/* How a result begins that says no more. */
static const char ended[] = "the inference process ended with exit code";

static int check_file(const char *path, const char *what, const char *hint, struct sl_diag *diag)
{
    int file = open(path, O_RDONLY | O_CLOEXEC), rc = file < 0 ? -errno : 0;
    if (file >= 0)
        close(file);
    if (rc < 0) {
        sl_diag_hint(diag, "%s", hint);
        sl_diag_set(diag, rc, path, "The %s cannot be read (%s)", what, sl_strerror(rc));
    }
    return rc;
}

static int check_expected(const struct sl_inspect *inspect, const struct sl_spec *e,
                          struct sl_diag *diag)
{
    const struct sl_pte_plan *plan = NULL;
    size_t tensors = 0;
    for (uint32_t i = 0; i < inspect->method_count && !plan; i++)
        if (!e->method || strcmp(inspect->methods[i].plan->name, e->method) == 0)
            plan = inspect->methods[i].plan;
    for (uint32_t i = 0; plan && i < plan->output_count; i++)
        tensors += plan->values[plan->outputs[i]].kind == SL_PTE_TENSOR;
    if (!plan || e->expected_count == 0 || e->expected_count == tensors)
        return 0;
    sl_diag_hint(diag, "name one raw file for each output that is a tensor, in their order");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--expected",
                       "Method '%.60s' has %zu outputs, and %zu files of expected values were "
                       "named",
                       plan->name, tensors, e->expected_count);
}

/* Refuses whatever `inspect` refuses, in the same words, before anything is measured. Programs for
 * other runtimes than ours may hold things that we do not know. */
static int check_program(const struct sl_spec *e, struct sl_diag *diag)
{
    struct sl_inspect *inspect = NULL;
    struct sl_buf file;
    if (e->runner || e->runtime[0] != SL_RUNTIME_OWN)
        return 0;
    int rc = sl_buf_read_file(e->model, MAX_MODEL_BYTES, &file);
    if (rc < 0) {
        sl_diag_hint(diag, "name a .pte file that can be read");
        return sl_diag_set(diag, rc, e->model, "The model cannot be read (%s)", sl_strerror(rc));
    }
    rc = sl_inspect_new((struct sl_bytes){file.data, file.size}, &inspect, diag);
    if (rc < 0)
        sl_inspect_name_file(e->model, diag);
    else
        rc = check_expected(inspect, e, diag);
    sl_inspect_free(inspect);
    sl_buf_fini(&file);
    return rc == SL_E_LIMIT ? 0 : rc;
}

int sl_cli_run_failure_check(const struct sl_plan *plan, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; i < plan->count && rc == 0; i++) {
        const struct sl_spec *e = &plan->specs[i];
        rc = check_file(e->model, "model", "name a .pte file that can be read", diag);
        if (rc == 0 && e->data_path)
            rc = check_file(e->data_path, "data file",
                            "name the program's .ptd, a file that can be read", diag);
        if (rc == 0 && e->policy && !sl_estimated_policies_take(e->policy))
            rc = check_file(e->policy, "policy", "name a table, estimated:apple-m4, or all", diag);
        for (size_t k = 0; k < e->inputs_count && rc == 0; k++)
            rc = check_file(e->inputs[k], "input file",
                            "name raw input files that can be read, one for each input", diag);
        for (size_t k = 0; k < e->expected_count && rc == 0; k++)
            rc = check_file(e->expected[k], "file of expected values",
                            "name raw files that can be read, one for each output", diag);
        if (rc == 0)
            rc = check_program(e, diag);
    }
    return rc;
}

static size_t path_begin(const char *text, size_t at)
{
    while (at > 0 && !strchr(" '\"(:", text[at - 1]))
        at--;
    return at;
}

/* The blob that is called so by the user; NULL: it is none that was sent. */
static const char *name_of(const struct sl_job_sender *sender, const char *digest)
{
    for (size_t i = 0; i < sender->file_count; i++)
        if (strncmp(digest, sender->files[i].sha256, DIGEST_DIGITS) == 0)
            return sender->files[i].path;
    return NULL;
}

/* Copies `text` with each path to a blob replaced. */
static void rename_blobs(const struct sl_job_sender *sender, const char *text, char out[TEXT_BYTES])
{
    size_t used = 0;
    for (size_t at = 0; text[at] && used + 1 < TEXT_BYTES;) {
        size_t digits = strspn(text + at, "0123456789abcdef");
        const char *name = digits == DIGEST_DIGITS ? name_of(sender, text + at) : NULL;
        if (name) {
            used = path_begin(out, used);
            int len = snprintf(out + used, TEXT_BYTES - used, "%s", name);
            used += len > 0 && (size_t)len < TEXT_BYTES - used ? (size_t)len : 0;
            at += digits;
            continue;
        }
        for (size_t n = digits > 0 ? digits : 1; n > 0 && used + 1 < TEXT_BYTES; n--)
            out[used++] = text[at++];
    }
    out[used] = '\0';
}

/* The last line of the agent's log that reads like an error, else the last at all. */
static void last_words(const char *text, char *out, size_t size)
{
    const char *best = "";
    bool is_error = false;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        bool error = line[0] == 'E' && line[1] == ' ';
        if (len > 0 && (error || !is_error)) {
            best = line;
            is_error = is_error || error;
        }
        line += len + (line[len] == '\n');
    }
    const char *message = strstr(best, "] ");
    size_t len = strcspn(best, "\n");
    if (message && message < best + len) {
        len -= (size_t)(message + 2 - best);
        best = message + 2;
    }
    snprintf(out, size, "%.*s", (int)(len < 400 ? len : 400), best);
}

/* A run that ended by itself left the agent's own words. */
static void take_words(const char *log, const char *detail, char out[TEXT_BYTES])
{
    struct sl_buf text;
    snprintf(out, TEXT_BYTES, "%s", detail);
    if (strncmp(detail, ended, strlen(ended)) != 0 ||
        sl_buf_read_file(log, MAX_LOG_BYTES, &text) < 0)
        return;
    last_words(text.data ? (const char *)text.data : "", out, TEXT_BYTES);
    sl_buf_fini(&text);
}

void sl_cli_run_failure_tell(const struct sl_job_sender *sender, const struct sl_spec *experiment,
                             const struct sl_outcome *outcome, const char *directory,
                             struct sl_diag *diag)
{
    char words[TEXT_BYTES], said_words[TEXT_BYTES], stem[80], log[PATH_BYTES];
    sl_path_stem(experiment->model, stem, sizeof(stem));
    sl_path_join(log, sizeof(log), directory, "%s_%.64s_t1_latency.log", stem, experiment->name);
    bool said = outcome->run != 0 && sl_fetch_log(sender->client, outcome->run, log, NULL) == 0;
    take_words(said ? log : "", outcome->detail, said_words);
    rename_blobs(sender, said_words, words);
    if (said)
        sl_diag_hint(diag, "the agent's own words are in %.150s", log);
    else
        sl_diag_hint(diag, "'sme2lab watch %" PRIu64 "%.100s' shows the job again", outcome->job,
                     sl_client_hint(sender->client));
    const char *lead = "The run failed";
    if (strcmp(outcome->state, "cancelled") == 0)
        lead = "The job was cancelled";
    else if (strcmp(outcome->cause, "result") == 0 && strncmp(words, "the inference", 13) != 0)
        lead = "The model cannot run";
    sl_diag_set(diag, 0, experiment->model, "%s%s%.400s", lead, words[0] ? ": " : "", words);
    size_t len = strlen(diag->what);
    if (len > 0 && diag->what[len - 1] == '.')
        diag->what[len - 1] = '\0';
}

void sl_cli_run_failure_return(const struct sl_client *client, uint64_t job, const char *directory,
                               struct sl_diag *diag)
{
    sl_diag_hint(diag,
                 "the daemon has job %" PRIu64 ": 'sme2lab watch %" PRIu64
                 " --out %.80s%.60s' goes on with it",
                 job, job, directory, sl_client_hint(client));
}

static void cancel(struct sl_client *client, const uint64_t *jobs, size_t count)
{
    struct sl_answer answer;
    char path[64];
    sl_interrupt_clear();
    for (size_t i = 0; i < count; i++) {
        const struct sl_client_request request = {.method = "DELETE", .path = path};
        snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64, jobs[i]);
        if (jobs[i] != 0 && sl_client_send(client, &request, &answer, NULL) == 0)
            sl_buf_fini(&answer.body);
    }
}

void sl_cli_run_failure_leave(struct sl_client *client, const struct sl_cli *cli,
                              const uint64_t *jobs, size_t count, bool stop, const char *directory)
{
    struct sl_diag diag = {0};
    int code = sl_interrupt_exit();
    uint64_t first = 0;
    for (size_t i = count; i > 0; i--)
        first = jobs[i - 1] != 0 ? jobs[i - 1] : first;
    if (stop)
        cancel(client, jobs, count);
    const char *hint = sl_client_hint(client);
    sl_diag_set(&diag, -EINTR, NULL, "Interrupted");
    if (first != 0 && stop)
        sl_diag_set(&diag, -EINTR, NULL, "Interrupted; job %" PRIu64 " is cancelled", first);
    if (first != 0 && !stop) {
        sl_diag_set(&diag, -EINTR, NULL, "Interrupted; job %" PRIu64 " goes on%s", first,
                    count > 1 ? ", and those after it" : "");
        sl_diag_hint(&diag,
                     "'sme2lab watch %" PRIu64 " --out %.60s%.40s' comes back to it, 'sme2lab "
                     "cancel %" PRIu64 "%.40s' stops it",
                     first, directory, hint, first, hint);
    }
    sl_cli_fail(cli, code, &diag);
}
