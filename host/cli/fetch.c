/* host/cli/fetch.c */
#include "host/cli/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "host/cli/client.h"
#include "host/rundir/run.h"
#include "host/spec/json_value.h"
#include "host/spec/path_stem.h"
#include "host/spec/url.h"

enum { PATH_BYTES = 1024 };

static int cannot_write(const char *path, int rc, struct sl_diag *diag)
{
    sl_diag_hint(diag, "give another directory with --out; the daemon keeps the run");
    return sl_diag_set(diag, rc, path, "The file cannot be written (%s)", sl_strerror(rc));
}

/* `name` of the run to `path`, by a temporary name beside it. */
static int fetch_file(struct sl_client *client, uint64_t run, const char *name, const char *path,
                      struct sl_diag *diag)
{
    char url[SL_CLIENT_PATH_BYTES], temporary[PATH_BYTES + 8];
    uint64_t bytes = 0;
    snprintf(url, sizeof(url), "/api/v1/runs/%" PRIu64 "/files/", run);
    if (!sl_url_path(url, sizeof(url), name))
        return cannot_write(path, -ENAMETOOLONG, diag);
    snprintf(temporary, sizeof(temporary), "%s.part", path);
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return cannot_write(temporary, -errno, diag);
    int rc = sl_client_download(client, url, file, &bytes, diag);
    if (rc < 0 && diag && !diag->what[0])
        cannot_write(path, rc, diag);
    if (rc == 0 && (fsync(file) < 0 || rename(temporary, path) < 0))
        rc = cannot_write(path, -errno, diag);
    close(file);
    if (rc < 0)
        unlink(temporary);
    return rc;
}

static int fetch_below(struct sl_client *client, uint64_t run, const char *name,
                       const char *directory, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    if (sl_path_join(path, sizeof(path), directory, "%s", name) < 0)
        return sl_diag_set(diag, -ENAMETOOLONG, directory,
                           "The path of an output file is too long");
    char *slash = strrchr(path, '/');
    *slash = '\0';
    int rc = sl_rundir_make_directories(path, diag);
    *slash = '/';
    return rc < 0 ? rc : fetch_file(client, run, name, path, diag);
}

int sl_fetch_run(struct sl_client *client, uint64_t run, bool whole, const char *directory,
                 struct sl_diag *diag)
{
    char url[96];
    cJSON *answer = NULL;
    const cJSON *file;
    snprintf(url, sizeof(url), "/api/v1/runs/%" PRIu64 "/files", run);
    int rc = sl_client_get(client, url, NULL, &answer, diag);
    cJSON_ArrayForEach(file, sl_value(answer, "files"))
    {
        const char *name = sl_value_text(file, "path", "");
        if (rc == 0 && (whole ? sl_path_is_below(name) : sl_path_is_artifact(name)))
            rc = fetch_below(client, run, name, directory, diag);
    }
    cJSON_Delete(answer);
    return rc;
}

int sl_fetch_log(struct sl_client *client, uint64_t run, const char *path, struct sl_diag *diag)
{
    return fetch_file(client, run, "streams/log", path, diag);
}
