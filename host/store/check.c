/* host/store/check.c */
#include "host/store/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/store/blobs.h"
#include "host/store/database.h"
#include "host/store/directory_id.h"
#include "host/store/figures.h"
#include "host/store/findings.h"
#include "host/store/host_table.h"
#include "host/store/request.h"
#include "host/store/row_copy.h"
#include "host/store/run_file.h"
#include "host/store/run_name.h"
#include "host/store/statement.h"

enum { DAY_BYTES = 16 };

struct check {
    struct sl_database *db;
    const char *root;
    const struct sl_store_host *host; /* NULL: every run is of this one */
    struct sl_findings *out;
    const struct sl_store_check *wish; /* NULL: of one job alone */
    uint64_t job;
    uint64_t highest; /* of the jobs that directories name */
    /* Strays are told last, so that they do not take the room of what may be lost. */
    struct sl_findings strays;
};

/* --- what is no run --- */

/* The daemon itself makes the file with the directory's identity, first under a longer name. */
static bool is_own(const char *name)
{
    size_t len = strlen(SL_DIRECTORY_ID_FILE);
    return strncmp(name, SL_DIRECTORY_ID_FILE, len) == 0 && (name[len] == '\0' || name[len] == '.');
}

static void name_stray(const char *folder, const char *name, struct sl_store_finding *out)
{
    int room = (int)(sizeof(out->name) - strlen(folder) - 2);
    bool fits = strlen(name) <= (size_t)room;
    sl_path_join(out->name, sizeof(out->name), folder, "%.*s%s", fits ? room : room - 3, name,
                 fits ? "" : "...");
}

/* `folder` is "runs" or a day's. What only looks at one job's directories notes none. */
static int note_stray(struct check *check, const char *folder, const char *name)
{
    struct sl_store_finding found = {.kind = SL_FOUND_STRAY};
    char path[2 * SL_PATH_BYTES];
    struct stat info = {0};
    if (!check->wish || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_own(name))
        return 0;
    sl_path_join(path, sizeof(path), check->root, "%s/%s", folder, name);
    if (lstat(path, &info) < 0 && errno == ENOENT)
        return 0; /* it is gone by now */
    found.bytes = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    name_stray(folder, name, &found);
    return sl_findings_add(&check->strays, &found);
}

static int tell_strays(struct check *check)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < check->strays.count; i++)
        rc = sl_findings_add(check->out, &check->strays.rows[i]);
    check->out->more += check->strays.more;
    return rc;
}

/* --- the directories of runs --- */

static int note_directory(struct check *check, const char *day, const char *name)
{
    struct sl_statement statement;
    char directory[SL_PATH_BYTES];
    uint64_t job = sl_run_name_job(name);
    if (job == 0) {
        snprintf(directory, sizeof(directory), "runs/%s", day);
        return note_stray(check, directory, name);
    }
    if (check->job != 0 && job != check->job)
        return 0;
    check->highest = job > check->highest ? job : check->highest;
    snprintf(directory, sizeof(directory), "runs/%s/%.100s", day, name);
    sl_statement_init(&statement, check->db,
                      "INSERT INTO found (directory, job) VALUES (?, ?) ON CONFLICT DO NOTHING");
    sl_statement_bind_text(&statement, directory);
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

static int note_day(struct check *check, const char *day)
{
    char path[SL_PATH_BYTES + 32];
    int rc = 0;
    sl_path_join(path, sizeof(path), check->root, "runs/%.15s", day);
    DIR *folder = opendir(path);
    if (!folder && errno == ENOTDIR)
        rc = note_stray(check, "runs", day);
    for (struct dirent *entry; rc == 0 && folder && (entry = readdir(folder)) != NULL;)
        rc = note_directory(check, day, entry->d_name);
    if (folder)
        closedir(folder);
    return rc;
}

static bool is_day(const char *name)
{
    return strlen(name) == 10 && strspn(name, "0123456789-") == 10 && name[4] == '-' &&
           name[7] == '-';
}

/* A removed run waits in `removed` for its end; a file system of its own has lost+found. */
static int note_other(struct check *check, const char *name)
{
    bool known = strcmp(name, SL_REMOVED_RUNS) == 0 || strcmp(name, "lost+found") == 0;
    return known ? 0 : note_stray(check, "runs", name);
}

/* Into found; the days from `first` to `last` alone. */
static int note_directories(struct check *check, const char *first, const char *last)
{
    char path[SL_PATH_BYTES + 8];
    int rc = sl_database_exec(check->db,
                              "CREATE TEMP TABLE IF NOT EXISTS found (directory TEXT PRIMARY KEY, "
                              "job INTEGER); DELETE FROM found");
    if (rc < 0)
        return rc;
    sl_path_join(path, sizeof(path), check->root, "runs");
    DIR *days = opendir(path);
    rc = days || errno == ENOENT ? 0 : -errno;
    for (struct dirent *entry; rc == 0 && days && (entry = readdir(days)) != NULL;) {
        const char *day = entry->d_name;
        if (!is_day(day))
            rc = note_other(check, day);
        else if (strcmp(day, first) >= 0 && strcmp(day, last) <= 0)
            rc = note_day(check, day);
    }
    if (days)
        closedir(days);
    return rc;
}

static int add_size(void *user, const char *path, uint64_t size)
{
    uint64_t *bytes = user;
    (void)path;
    *bytes += size;
    return 0;
}

static uint64_t changed_ms(const char *root, const char *name)
{
    char path[2 * SL_PATH_BYTES];
    struct stat info;
    sl_path_join(path, sizeof(path), root, "%s", name);
    return lstat(path, &info) < 0 ? UINT64_MAX : (uint64_t)info.st_mtim.tv_sec * 1000;
}

static int add_attempt(struct check *check, struct sl_store_finding *found)
{
    found->kind = SL_FOUND_DEAD_ATTEMPT;
    sl_run_file_list(check->root, found->name, add_size, &found->bytes);
    if (check->wish) {
        if (changed_ms(check->root, found->name) >= check->wish->free_before_ms)
            return 0;
        found->mended = check->wish->mend && sl_run_file_remove(check->root, found->name) == 0;
    }
    return sl_findings_add(check->out, found);
}

/* An error that says anything but that it is not there leaves it possible. */
static bool may_hold(const struct check *check, const char *directory, const char *file)
{
    char path[2 * SL_PATH_BYTES];
    struct stat info;
    sl_path_join(path, sizeof(path), check->root, "%s/%s", directory, file);
    return lstat(path, &info) == 0 || errno != ENOENT;
}

/* Several experiments in one directory have a manifest each; a runner of another project writes its
 * import alone. */
static bool ends_a_run(const char *name)
{
    size_t len = strlen(name);
    return strcmp(name, "import.json") == 0 ||
           (len >= 13 && strncmp(name, "manifest", 8) == 0 && strcmp(name + len - 5, ".json") == 0);
}

/* As may_hold(), by the names that a finished run leaves. */
static bool may_be_finished(const struct check *check, const char *directory)
{
    char path[2 * SL_PATH_BYTES];
    bool found = false;
    sl_path_join(path, sizeof(path), check->root, "%s", directory);
    errno = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; !found && folder && (entry = readdir(folder)) != NULL; errno = 0)
        found = ends_a_run(entry->d_name);
    found = found || (errno != 0 && errno != ENOENT);
    if (folder)
        closedir(folder);
    return found;
}

/* Another attempt made the job's run, and its row and files are there. */
static int has_its_run(struct check *check, uint64_t job)
{
    struct sl_statement statement;
    sl_statement_init(&statement, check->db,
                      "SELECT 1 FROM runs INDEXED BY runs_job WHERE job = ? AND directory IN "
                      "(SELECT directory FROM found)");
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

/* 1: what an attempt left; 0: a run that has its copy of the row, or that ended and is its job's
 * only one. */
static int is_attempt(struct check *check, const char *directory, uint64_t job, bool copied)
{
    if (!check->wish || (!copied && !may_be_finished(check, directory)))
        return 1;
    return copied ? 0 : has_its_run(check, job);
}

/* A directory that no row names. A run's only a person removes. */
static int add_directory(struct check *check, const char *directory, uint64_t job, bool open)
{
    struct sl_store_finding found = {.kind = SL_FOUND_LOST_ROW, .job = job};
    snprintf(found.name, sizeof(found.name), "%s", directory);
    bool copied = check->wish && may_hold(check, directory, SL_ROW_COPY);
    if (check->wish && open && !copied)
        return 0;
    int rc = is_attempt(check, directory, job, copied);
    if (rc != 0)
        return rc < 0 ? rc : add_attempt(check, &found);
    if (copied && check->wish->mend) {
        rc = sl_row_copy_restore(check->db, directory, job, &found.run);
        if (rc < 0)
            return rc;
        found.mended = rc == 1;
    }
    return sl_findings_add(check->out, &found);
}

static int look_at_directories(struct check *check)
{
    struct sl_statement statement;
    sl_statement_init_many(
        &statement, check->db,
        "SELECT directory, job, EXISTS (SELECT 1 FROM jobs WHERE jobs.id = found.job "
        "AND state <= 1) FROM found WHERE NOT EXISTS (SELECT 1 FROM runs "
        "INDEXED BY runs_job WHERE runs.job = found.job AND runs.directory = "
        "found.directory) ORDER BY directory");
    int rc;
    while ((rc = sl_statement_step(&statement)) == 1) {
        char directory[SL_PATH_BYTES];
        sl_statement_text(&statement, 0, directory, sizeof(directory));
        rc = add_directory(check, directory, sl_statement_u64(&statement, 1),
                           sl_statement_int(&statement, 2) != 0);
        if (rc < 0)
            break;
    }
    sl_statement_fini(&statement);
    return rc;
}

/* Runs of the name that this host had before are its own: their directories are here. So are those
 * of a host that shares the directory, which keeps them as long as it is heard of. */
static int take_own(struct check *check)
{
    struct sl_statement statement;
    uint64_t now_ms = 0;
    if (!check->host || !check->wish->mend)
        return 0;
    int rc = check->db->kind->now_ms(check->db, true, &now_ms);
    if (rc < 0)
        return rc;
    sl_statement_init(&statement, check->db,
                      "UPDATE runs SET host = ?1 WHERE host <> ?1 AND EXISTS (SELECT 1 FROM found "
                      "WHERE found.directory = runs.directory AND found.job = runs.job) AND host "
                      "NOT IN (" SL_SQL_SHARING("?2") " AND heard_ms > ?3)");
    sl_statement_bind_text(&statement, check->host->name);
    sl_statement_bind_text(&statement, check->db->directory_id);
    sl_statement_bind_u64(&statement,
                          now_ms > check->host->lease_ms ? now_ms - check->host->lease_ms : 0);
    rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc < 0 ? rc : 0;
}

static int look_at_rows(struct check *check)
{
    struct sl_statement statement;
    sl_statement_init_many(
        &statement, check->db,
        "SELECT directory, id, job, host, coalesce((SELECT there.directory FROM host_directories "
        "AS there WHERE there.host = runs.host), '') FROM runs WHERE directory <> '' AND NOT EXISTS"
        " (SELECT 1 FROM found WHERE found.directory = runs.directory) ORDER BY "
        "id");
    int rc;
    while ((rc = sl_statement_step(&statement)) == 1) {
        struct sl_store_finding found = {.kind = SL_FOUND_LOST_FILES,
                                         .run = sl_statement_u64(&statement, 1),
                                         .job = sl_statement_u64(&statement, 2)};
        char host[SL_NAME_BYTES], directory[SL_SERIES_BYTES];
        sl_statement_text(&statement, 3, host, sizeof(host));
        sl_statement_text(&statement, 4, directory, sizeof(directory));
        bool shares = directory[0] && strcmp(directory, check->db->directory_id) == 0;
        if (check->host && strcmp(host, check->host->name) != 0 && !shares)
            continue; /* its files are there */
        sl_statement_text(&statement, 0, found.name, sizeof(found.name));
        if ((rc = sl_findings_add(check->out, &found)) < 0)
            break;
    }
    sl_statement_fini(&statement);
    return rc;
}

/* Runs of an earlier version, and those whose summary could not be read when they came. */
static int look_at_figures(struct check *check)
{
    struct sl_statement statement;
    sl_statement_init_many(&statement, check->db,
                           "SELECT directory, id, job FROM runs WHERE NOT EXISTS (SELECT 1 FROM "
                           "variants WHERE variants.run = runs.id) AND EXISTS (SELECT 1 FROM found "
                           "WHERE found.directory = runs.directory) ORDER BY id");
    int rc;
    while ((rc = sl_statement_step(&statement)) == 1) {
        struct sl_store_finding found = {.kind = SL_FOUND_LOST_FIGURES,
                                         .run = sl_statement_u64(&statement, 1),
                                         .job = sl_statement_u64(&statement, 2)};
        sl_statement_text(&statement, 0, found.name, sizeof(found.name));
        if (!may_hold(check, found.name, SL_FIGURES_FILE))
            continue;
        found.mended = check->wish->mend && sl_figures_fill(check->db, found.run) == 0;
        if ((rc = sl_findings_add(check->out, &found)) < 0)
            break;
    }
    sl_statement_fini(&statement);
    return rc;
}

/* --- what tasks answered --- */

/* The job of an answer's file, or of what a crash left of one under the name that
 * sl_buf_write_file() gave it; 0: it is none. */
static uint64_t job_of_answer(const char *name)
{
    int end = 0;
    uint64_t job = 0;
    if (strspn(name, "0123456789") == 0 || sscanf(name, "%18" SCNu64 ".json%n", &job, &end) != 1 ||
        end == 0)
        return 0;
    size_t len = strlen(name + end);
    bool left = len >= 4 && name[end] == '.' && strcmp(name + end + len - 4, ".tmp") == 0;
    return len == 0 || left ? job : 0;
}

static int is_open(struct check *check, uint64_t job)
{
    struct sl_statement statement;
    sl_statement_init(&statement, check->db, "SELECT 1 FROM jobs WHERE id = ? AND state <= 1");
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

static int add_answer(struct check *check, const char *file)
{
    struct sl_store_finding found = {.kind = SL_FOUND_TASK_ANSWER, .job = job_of_answer(file)};
    char path[2 * SL_PATH_BYTES];
    struct stat info;
    snprintf(found.name, sizeof(found.name), SL_TASK_FOLDER "/%.64s", file);
    sl_path_join(path, sizeof(path), check->root, "%s", found.name);
    if (found.job == 0 || lstat(path, &info) < 0 || !S_ISREG(info.st_mode) ||
        (uint64_t)info.st_mtim.tv_sec * 1000 >= check->wish->free_before_ms)
        return 0;
    int rc = is_open(check, found.job);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    found.bytes = (uint64_t)info.st_size;
    found.mended = check->wish->mend && unlink(path) == 0;
    return sl_findings_add(check->out, &found);
}

static int look_at_answers(struct check *check)
{
    char path[SL_PATH_BYTES + 8];
    sl_path_join(path, sizeof(path), check->root, SL_TASK_FOLDER);
    DIR *folder = opendir(path);
    int rc = folder || errno == ENOENT ? 0 : -errno;
    for (struct dirent *entry; rc == 0 && folder && (entry = readdir(folder)) != NULL;)
        rc = add_answer(check, entry->d_name);
    if (folder)
        closedir(folder);
    return rc;
}

/* --- blobs --- */

struct blob {
    char name[SL_DIGEST_BYTES];
    bool used;
};

struct blob_list {
    struct blob *rows; /* owned; sorted by name */
    size_t count, room;
    uint64_t before_ms; /* nobody asked for them since */
};

static int by_name(const void *a, const void *b)
{
    return memcmp(a, b, SL_DIGEST_BYTES - 1);
}

static int add_blob(struct blob_list *list, const char *name)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 64 : 2 * list->room;
        struct blob *rows = sl_realloc(list->rows, room, sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        list->rows = rows;
        list->room = room;
    }
    list->rows[list->count] = (struct blob){.used = false};
    memcpy(list->rows[list->count++].name, name, SL_DIGEST_BYTES - 1);
    return 0;
}

static int list_old_blobs(const struct sl_blobs *blobs, struct blob_list *out)
{
    DIR *folder = opendir(blobs->directory);
    int rc = folder || errno == ENOENT ? 0 : -errno;
    for (struct dirent *entry; rc == 0 && folder && (entry = readdir(folder)) != NULL;) {
        if (sl_blobs_name_ok(entry->d_name) &&
            changed_ms(blobs->directory, entry->d_name) < out->before_ms)
            rc = add_blob(out, entry->d_name);
    }
    if (folder)
        closedir(folder);
    if (rc == 0 && out->count > 1)
        qsort(out->rows, out->count, sizeof(*out->rows), by_name);
    return rc;
}

/* Each 64 digits of a configuration in a row are taken for a digest. */
static void mark_used(struct blob_list *list, const char *config)
{
    while (*config) {
        size_t len = strspn(config, "0123456789abcdef");
        struct blob *used =
            len == SL_DIGEST_BYTES - 1 && list->count > 0
                ? bsearch(config, list->rows, list->count, sizeof(*list->rows), by_name)
                : NULL;
        if (used)
            used->used = true;
        config += len;
        config += *config != '\0';
    }
}

/* Marks what the configuration in a run's directory names. One that is there and cannot be read may
 * name any: negative. */
static int mark_used_by_file(const struct check *check, const char *directory,
                             struct blob_list *list)
{
    char path[2 * SL_PATH_BYTES];
    struct sl_buf config;
    sl_path_join(path, sizeof(path), check->root, "%s/config.json", directory);
    int rc = sl_buf_read_file(path, SL_STORE_MAX_CONFIG_BYTES, &config);
    if (rc == 0) {
        mark_used(list, (const char *)config.data);
        sl_buf_fini(&config);
    } else if (rc != -ENOENT) {
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("blobs_kept"), SL_LOG_TEXT("file", path),
               SL_LOG_REASON(sl_strerror(rc)));
    }
    return rc == -ENOENT ? 0 : rc;
}

/* Marks the blobs of runs whose row is lost, and of stored runs whose job's row is. Negative: not
 * all are known, and none may go. */
static int mark_used_by_files(const struct check *check, struct blob_list *list)
{
    struct sl_statement statement;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < check->out->count; i++) {
        const struct sl_store_finding *found = &check->out->rows[i];
        if (found->kind == SL_FOUND_LOST_ROW && !found->mended)
            rc = mark_used_by_file(check, found->name, list);
    }
    sl_statement_init_many(&statement, check->db,
                           "SELECT directory FROM runs WHERE directory <> '' AND NOT EXISTS "
                           "(SELECT 1 FROM jobs WHERE jobs.id = runs.job)");
    while (rc == 0 && (rc = sl_statement_step(&statement)) == 1) {
        char directory[SL_PATH_BYTES];
        sl_statement_text(&statement, 0, directory, sizeof(directory));
        rc = mark_used_by_file(check, directory, list);
    }
    sl_statement_fini(&statement);
    return rc;
}

static int mark_all_used(struct check *check, struct blob_list *list)
{
    struct sl_statement statement;
    char *config = sl_malloc(SL_STORE_MAX_CONFIG_BYTES + 1, 1);
    int rc = -ENOMEM;
    if (!config)
        return rc;
    sl_statement_init_many(&statement, check->db,
                           "SELECT config FROM jobs WHERE state <= 1 OR id IN (SELECT job FROM "
                           "runs)");
    while ((rc = sl_statement_step(&statement)) == 1) {
        sl_statement_text(&statement, 0, config, SL_STORE_MAX_CONFIG_BYTES + 1);
        mark_used(list, config);
    }
    sl_statement_fini(&statement);
    sl_free(config);
    return rc;
}

/* No job came meanwhile: this thread alone adds them. One that is about to come has touched what it
 * names, and that stays. */
static int add_unused(struct check *check, const struct sl_blobs *blobs,
                      const struct blob_list *list)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < list->count; i++) {
        struct sl_store_finding found = {.kind = SL_FOUND_UNUSED_BLOB};
        if (list->rows[i].used || sl_blobs_size(blobs, list->rows[i].name, false, &found.bytes) < 0)
            continue;
        snprintf(found.name, sizeof(found.name), "%s", list->rows[i].name);
        int removed =
            check->wish->mend ? sl_blobs_remove_old(blobs, found.name, list->before_ms) : 0;
        found.mended = check->wish->mend && removed == 0;
        rc = removed == SL_E_STATE ? 0 : sl_findings_add(check->out, &found);
    }
    return rc;
}

static int look_at_blobs(struct check *check)
{
    struct sl_blobs blobs;
    struct blob_list list = {.before_ms = sl_clock_utc_ms() - SL_STORE_BLOB_KEEP_MS};
    if (check->wish->free_before_ms == 0 || check->out->more > 0) /* not all lost rows are known */
        return 0;
    if (list.before_ms > check->wish->free_before_ms)
        list.before_ms = check->wish->free_before_ms;
    sl_path_join(blobs.directory, sizeof(blobs.directory), check->root, "blobs");
    int rc = list_old_blobs(&blobs, &list);
    if (rc == 0 && list.count > 0)
        rc = mark_all_used(check, &list);
    if (rc == 0 && list.count > 0 && mark_used_by_files(check, &list) == 0)
        rc = add_unused(check, &blobs, &list);
    sl_free(list.rows);
    return rc;
}

int sl_check_state(struct sl_database *db, const struct sl_store_host *host,
                   const struct sl_store_check *wish, struct sl_findings *out, uint64_t *out_job)
{
    struct check check = {.db = db, .host = host, .root = db->root, .out = out, .wish = wish};
    int rc = note_directories(&check, "", "~");
    if (rc == 0)
        rc = look_at_directories(&check);
    if (rc == 0)
        rc = take_own(&check);
    if (rc == 0)
        rc = look_at_rows(&check);
    if (rc == 0)
        rc = look_at_figures(&check);
    if (rc == 0)
        rc = look_at_answers(&check);
    if (rc == 0)
        rc = look_at_blobs(&check);
    if (rc == 0)
        rc = tell_strays(&check);
    sl_findings_fini(&check.strays);
    *out_job = check.highest;
    return rc;
}

static void day_of(uint64_t ms, char out[DAY_BYTES])
{
    time_t at = (time_t)(ms / 1000);
    struct tm day;
    if (!gmtime_r(&at, &day) || strftime(out, DAY_BYTES, "%Y-%m-%d", &day) == 0)
        snprintf(out, DAY_BYTES, "~");
}

/* Its days, and one before and after: a clock that was set tells another day. */
static int days_of(struct sl_database *db, uint64_t job, char first[DAY_BYTES],
                   char last[DAY_BYTES])
{
    enum { A_DAY_MS = 86400000 };
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT submitted_ms, ended_ms FROM jobs WHERE id = ?");
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_step(&statement);
    if (rc == 1) {
        uint64_t begin_ms = sl_statement_u64(&statement, 0),
                 end_ms = sl_statement_u64(&statement, 1);
        day_of(begin_ms > A_DAY_MS ? begin_ms - A_DAY_MS : 0, first);
        snprintf(last, DAY_BYTES, "~");
        if (end_ms > 0)
            day_of(end_ms + A_DAY_MS, last);
    }
    sl_statement_fini(&statement);
    return rc == 1 ? 0 : rc == 0 ? SL_E_NOT_FOUND : rc;
}

/* The rows move to the request. */
static void answer(struct sl_request *request, int rc, struct sl_findings *found)
{
    request->rc = rc;
    if (rc < 0) {
        sl_findings_fini(found);
        return;
    }
    request->rows = found->rows;
    request->count = found->count;
    request->next_cursor = found->more;
}

void sl_check_carry_out(struct sl_request *request, struct sl_database *db)
{
    struct sl_findings found = {.rows = NULL};
    uint64_t highest;
    int rc = sl_directory_id_is_there(db) ? sl_check_state(db, db->shared ? request->host : NULL,
                                                           &request->check, &found, &highest)
                                          : SL_E_STATE;
    answer(request, rc, &found);
}

void sl_check_list_left(struct sl_request *request, struct sl_database *db)
{
    struct sl_findings found = {.rows = NULL};
    struct check check = {.db = db, .root = db->root, .out = &found, .job = request->id};
    char first[DAY_BYTES], last[DAY_BYTES];
    int rc = days_of(db, request->id, first, last);
    if (rc == 0)
        rc = note_directories(&check, first, last);
    if (rc == 0)
        rc = look_at_directories(&check);
    answer(request, rc, &found);
}
