/* agent/serve/job_dir.c */
#include "agent/serve/job_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/stream/spool.h"
#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "proto/job.pb-c.h"

enum { MAX_RECORD_BYTES = 1 << 20, FILE_PART_BYTES = 64 << 10, MAX_PATH_BYTES = 1024 };

static const char *const stream_names[SL_STREAM_COUNT] = {"trace", "log", "output", "files"};

static int join(char out[MAX_PATH_BYTES], const struct sl_job_dir *dir, const char *name)
{
    return sl_path_join(out, MAX_PATH_BYTES, dir->path, "%s", name);
}

static int dir_new(const char *workdir, struct sl_run_id id, struct sl_job_dir **out)
{
    struct sl_job_dir *dir = sl_calloc(1, sizeof(*dir));
    if (!dir)
        return -ENOMEM;
    dir->id = id;
    sl_run_id_text(id, dir->name);
    int rc = sl_path_join(dir->path, sizeof(dir->path), workdir, "jobs/%s", dir->name);
    if (rc == 0)
        *out = dir;
    else
        sl_free(dir);
    return rc;
}

void sl_job_dir_free(struct sl_job_dir *dir)
{
    if (!dir)
        return;
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        sl_spool_free(dir->streams[i]);
    if (dir->result)
        sme2lab__proto__result__free_unpacked(dir->result, NULL);
    sl_free(dir);
}

static int open_streams(struct sl_job_dir *dir, uint64_t max_bytes, size_t runners)
{
    char path[MAX_PATH_BYTES];
    dir->max_bytes = max_bytes;
    for (int i = 0; i < SL_STREAM_COUNT; i++) {
        uint64_t parts = i == SL_STREAM_FILES ? 1 + runners : 1;
        int rc = join(path, dir, stream_names[i]);
        if (rc == 0)
            rc = sl_spool_new(path, parts * max_bytes, &dir->streams[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int make_folders(const char *workdir, const struct sl_job_dir *dir)
{
    char path[MAX_PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), workdir, "jobs");
    if (rc < 0)
        return rc;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -errno;
    if (mkdir(dir->path, 0700) < 0)
        return -errno;
    rc = join(path, dir, "out");
    return rc < 0 ? rc : mkdir(path, 0700) < 0 ? -errno : 0;
}

static int store(const struct sl_job_dir *dir, const char *name, const ProtobufCMessage *message)
{
    char path[MAX_PATH_BYTES];
    size_t len = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = sl_malloc(len, 1);
    if (!bytes)
        return -ENOMEM;
    protobuf_c_message_pack(message, bytes);
    int rc = join(path, dir, name);
    if (rc == 0)
        rc = sl_buf_write_file(path, bytes, len);
    sl_free(bytes);
    return rc;
}

int sl_job_dir_create(const char *workdir, const Sme2lab__Proto__Job *job, uint64_t max_bytes,
                      struct sl_job_dir **out)
{
    struct sl_job_dir *dir = NULL;
    int rc = dir_new(workdir, (struct sl_run_id){job->id_high, job->id}, &dir);
    if (rc < 0)
        return rc;
    rc = make_folders(workdir, dir);
    if (rc == 0)
        rc = store(dir, "request", &job->base);
    if (rc == 0)
        rc = open_streams(dir, max_bytes, job->n_arms);
    if (rc < 0) {
        sl_job_dir_free(dir);
        return rc;
    }
    *out = dir;
    return 0;
}

static void fill_lengths(const struct sl_job_dir *dir, Sme2lab__Proto__Result *result)
{
    result->job = dir->id.low;
    result->job_high = dir->id.high;
    result->trace_bytes = sl_spool_bytes(dir->streams[SL_STREAM_TRACE]);
    result->log_bytes = sl_spool_bytes(dir->streams[SL_STREAM_LOG]);
    result->output_bytes = sl_spool_bytes(dir->streams[SL_STREAM_OUTPUT]);
    result->files_bytes = sl_spool_bytes(dir->streams[SL_STREAM_FILES]);
    result->dropped_bytes = 0;
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        result->dropped_bytes += sl_spool_dropped_bytes(dir->streams[i]);
}

static int load(const struct sl_job_dir *dir, const char *name, struct sl_buf *out)
{
    char path[MAX_PATH_BYTES];
    int rc = join(path, dir, name);
    return rc < 0 ? rc : sl_buf_read_file(path, MAX_RECORD_BYTES, out);
}

int sl_job_dir_request(const struct sl_job_dir *dir, Sme2lab__Proto__Job **out)
{
    struct sl_buf bytes;
    int rc = load(dir, "request", &bytes);
    if (rc < 0)
        return rc;
    *out = sme2lab__proto__job__unpack(NULL, bytes.size, bytes.data);
    sl_buf_fini(&bytes);
    return *out ? 0 : SL_E_FORMAT;
}

static int load_result(struct sl_job_dir *dir)
{
    struct sl_buf bytes;
    int rc = load(dir, "result", &bytes);
    if (rc < 0)
        return rc;
    dir->result = sme2lab__proto__result__unpack(NULL, bytes.size, bytes.data);
    sl_buf_fini(&bytes);
    return dir->result ? 0 : SL_E_FORMAT;
}

static int copy_result(struct sl_job_dir *dir, const Sme2lab__Proto__Result *result)
{
    size_t len = sme2lab__proto__result__get_packed_size(result);
    uint8_t *bytes = sl_malloc(len, 1);
    if (!bytes)
        return -ENOMEM;
    sme2lab__proto__result__pack(result, bytes);
    dir->result = sme2lab__proto__result__unpack(NULL, len, bytes);
    sl_free(bytes);
    return dir->result ? 0 : -ENOMEM;
}

int sl_job_dir_finish(struct sl_job_dir *dir, const Sme2lab__Proto__Result *result)
{
    Sme2lab__Proto__Result full = *result;
    fill_lengths(dir, &full);
    int rc = store(dir, "result", &full.base);
    if (rc == 0)
        return load_result(dir);
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("result_not_stored"), SL_LOG_TEXT("job", dir->name),
           SL_LOG_REASON(sl_strerror(rc)));
    return copy_result(dir, &full); /* told all the same; an agent that dies now has lost it */
}

int sl_job_dir_open(const char *workdir, struct sl_run_id id, uint64_t max_bytes,
                    struct sl_job_dir **out)
{
    struct sl_job_dir *dir = NULL;
    int rc = dir_new(workdir, id, &dir);
    if (rc < 0)
        return rc;
    rc = open_streams(dir, max_bytes, 0);
    if (rc == 0)
        rc = load_result(dir);
    if (rc == -ENOENT || rc == SL_E_FORMAT) {
        Sme2lab__Proto__Result lost = SME2LAB__PROTO__RESULT__INIT;
        lost.outcome = SME2LAB__PROTO__OUTCOME__OUTCOME_LOST;
        lost.detail = (char *)(uintptr_t)"the agent ended while the job ran; what it had recorded "
                                         "by then is here";
        rc = sl_job_dir_finish(dir, &lost);
    }
    if (rc < 0) {
        sl_job_dir_free(dir);
        return rc;
    }
    *out = dir;
    return 0;
}

static int append_file(struct sl_job_dir *dir, const char *path, const char *name, uint64_t size)
{
    struct sl_spool *spool = dir->streams[SL_STREAM_FILES];
    Sme2lab__Proto__FileHeader header = SME2LAB__PROTO__FILE_HEADER__INIT;
    uint8_t packed[512], part[FILE_PART_BYTES];
    header.name = (char *)(uintptr_t)name;
    header.size = size;
    size_t len = sme2lab__proto__file_header__get_packed_size(&header);
    if (len > sizeof(packed) - 4)
        return SL_E_LIMIT;
    sl_store_u32(packed, (uint32_t)len);
    sme2lab__proto__file_header__pack(&header, packed + 4);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    int rc = sl_spool_append(spool, packed, 4 + len);
    while (rc == 0 && size > 0) {
        size_t want = size < sizeof(part) ? (size_t)size : sizeof(part);
        ssize_t got = read(fd, part, want);
        if (got <= 0)
            rc = got < 0 ? -errno : SL_E_TRUNCATED;
        else
            rc = sl_spool_append(spool, part, (size_t)got);
        size -= got > 0 ? (uint64_t)got : 0;
    }
    close(fd);
    return rc;
}

int sl_job_dir_collect(struct sl_job_dir *dir)
{
    char folder[MAX_PATH_BYTES], path[MAX_PATH_BYTES + 260];
    struct dirent **names = NULL;
    int rc = join(folder, dir, "out");
    if (rc < 0)
        return rc;
    int count = scandir(folder, &names, NULL,
                        alphasort); /* one order, so that equal runs give equal streams */
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++) {
        struct stat info;
        if (rc == 0)
            rc = sl_path_join(path, sizeof(path), folder, "%s", names[i]->d_name);
        if (rc == 0 && lstat(path, &info) == 0 && S_ISREG(info.st_mode))
            rc = append_file(dir, path, names[i]->d_name, (uint64_t)info.st_size);
        free(names[i]);
    }
    free(names);
    return rc;
}

static void remove_below(const char *folder, int depth)
{
    DIR *listing = opendir(folder);
    if (!listing)
        return;
    for (struct dirent *entry; (entry = readdir(listing));) {
        char path[MAX_PATH_BYTES + 260];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (sl_path_join(path, sizeof(path), folder, "%s", entry->d_name) == 0 &&
            unlink(path) < 0 && depth > 0)
            remove_below(path, depth - 1);
    }
    closedir(listing);
    rmdir(folder);
}

void sl_job_dir_remove(struct sl_job_dir *dir)
{
    remove_below(dir->path, 3); /* runners/PLACE/bin */
    sl_job_dir_free(dir);
}
