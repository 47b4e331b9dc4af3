/* agent/serve/runtime_folder.c */
#include "agent/serve/runtime_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/serve/job_dir.h"
#include "common/base/buf.h"
#include "common/base/path.h"
#include "proto/job.pb-c.h"

enum { PATH_BYTES = 1024, MAX_NAME = 100, MAX_FILE_BYTES = 256 << 20 };

static bool is_name(const char *name)
{
    size_t len = strlen(name);
    return len > 0 && len <= MAX_NAME && name[0] != '.' && !strchr(name, '/');
}

static bool is_digest(const char *name)
{
    return strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64;
}

static int copy(const char *from, const char *to)
{
    struct sl_buf file;
    int rc = sl_buf_read_file(from, MAX_FILE_BYTES, &file);
    if (rc < 0)
        return rc;
    rc = sl_buf_write_file(to, file.data, file.size);
    sl_buf_fini(&file);
    return rc;
}

static int place(const char *workdir, const char *folder, const char *name, const char *digest)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    if (sl_path_join(from, sizeof(from), workdir, "blobs/%s", digest) < 0 ||
        sl_path_join(to, sizeof(to), folder, "%s", name) < 0)
        return -ENAMETOOLONG;
    int rc = link(from, to) == 0 ? 0 : errno == ENOENT ? -ENOENT : copy(from, to);
    return rc < 0 ? rc : chmod(to, 0700) == 0 ? 0 : -errno;
}

static int make_folder(const char *folder)
{
    return mkdir(folder, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Files of those names; each is a blob. */
static int place_all(const char *workdir, const char *folder, char *const *names,
                     char *const *digests, size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = is_name(names[i]) && is_digest(digests[i])
                 ? place(workdir, folder, names[i], digests[i])
                 : -EINVAL;
    return rc;
}

/* PLACE/bin/PROGRAM with its libraries, which PLACE/lib has too. */
static int place_arm(const char *workdir, const Sme2lab__Proto__Arm *arm, const char *folder)
{
    char bin[PATH_BYTES], lib[PATH_BYTES];
    if (sl_path_join(bin, sizeof(bin), folder, "bin") < 0 ||
        sl_path_join(lib, sizeof(lib), folder, "lib") < 0)
        return -ENAMETOOLONG;
    int rc = arm->n_libraries == arm->n_library_names ? make_folder(folder) : -EINVAL;
    if (rc == 0)
        rc = make_folder(bin);
    if (rc == 0 && symlink("bin", lib) < 0 && errno != EEXIST)
        rc = -errno;
    if (rc == 0)
        rc = place_all(workdir, bin, arm->library_names, arm->libraries, arm->n_libraries);
    return rc == 0 ? place_all(workdir, bin, &arm->program, &arm->runner, 1) : rc;
}

/* Each in a folder of its own: runners of several builds have one name. */
static int place_runners(const char *workdir, const Sme2lab__Proto__Job *job,
                         const struct sl_job_dir *dir)
{
    char folder[PATH_BYTES];
    sl_path_join(folder, sizeof(folder), dir->path, "runners");
    int rc = job->n_arms > 0 ? make_folder(folder) : 0;
    for (size_t i = 0; rc == 0 && i < job->n_arms; i++) {
        const Sme2lab__Proto__Arm *arm = job->arms[i];
        sl_path_join(folder, sizeof(folder), dir->path, "runners/%" PRIu32, arm->place);
        rc = place_arm(workdir, arm, folder);
    }
    return rc;
}

int sl_runtime_folder_make(const char *workdir, const Sme2lab__Proto__Job *job,
                           const struct sl_job_dir *dir)
{
    char folder[PATH_BYTES];
    int rc = 0;
    if (job->n_runtime == 0 && job->n_runtime_names == 0)
        return place_runners(workdir, job, dir);
    if (job->n_runtime != job->n_runtime_names || job->n_runtime < 2 ||
        job->n_runtime > SL_RUNTIME_FOLDER_FILES)
        return -EINVAL;
    sl_path_join(folder, sizeof(folder), dir->path, "runtime");
    rc = make_folder(folder);
    return rc == 0 ? place_all(workdir, folder, job->runtime_names, job->runtime, job->n_runtime)
                   : rc;
}
