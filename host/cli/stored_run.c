/* host/cli/stored_run.c */
#include "host/cli/stored_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"
#include "host/cli/answer.h"
#include "host/cli/client.h"
#include "host/cli/fetch.h"

bool sl_stored_run_named(const char *word, uint64_t *out_id)
{
    struct stat info;
    return stat(word, &info) < 0 && sl_answer_id(word, "run", out_id, NULL) == 0;
}

int sl_stored_run_directory(struct sl_stored_run *run, struct sl_diag *diag)
{
    const char *parent = getenv("TMPDIR");
    int rc = sl_path_join(run->directory, sizeof(run->directory),
                          parent && parent[0] == '/' ? parent : "/tmp", "sme2lab-run-XXXXXX");
    if (rc == 0 && mkdtemp(run->directory))
        return 0;
    rc = rc < 0 ? rc : -errno;
    run->directory[0] = '\0';
    sl_diag_hint(diag, "say with TMPDIR=DIR where temporary files may lie");
    return sl_diag_set(diag, rc, parent ? parent : "/tmp", "No directory can be made there (%s)",
                       sl_strerror(rc));
}

static int fetch_to_new(struct sl_client *client, uint64_t id, bool whole,
                        struct sl_stored_run *run, struct sl_diag *diag)
{
    snprintf(run->name, sizeof(run->name), "runs/%" PRIu64, id);
    int rc = sl_stored_run_directory(run, diag);
    return rc < 0 ? rc : sl_fetch_run(client, id, whole, run->directory, diag);
}

int sl_stored_run_fetch_whole(struct sl_client *client, uint64_t id, struct sl_stored_run *run,
                              struct sl_diag *diag)
{
    return fetch_to_new(client, id, true, run, diag);
}

static int fetch(const struct sl_cli *cli, uint64_t id, struct sl_stored_run *run,
                 struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc == 0)
        rc = fetch_to_new(client, id, false, run, diag);
    sl_client_free(client);
    return rc;
}

int sl_stored_runs_fetch(const struct sl_cli *cli, const char **words, size_t count,
                         struct sl_stored_run *runs, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        uint64_t id;
        if (!sl_stored_run_named(words[i], &id))
            continue;
        rc = fetch(cli, id, &runs[i], diag);
        words[i] = runs[i].directory;
    }
    return rc;
}

void sl_stored_runs_remove(struct sl_stored_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (runs[i].directory[0])
            sl_tree_remove(runs[i].directory);
        runs[i].directory[0] = '\0';
    }
}
