/* host/rundir/archive_list.c */
#include "host/rundir/archive_list.h"

#include <errno.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/path_stem.h"

#define SCHEMA "sme2lab.export/1"

void sl_archive_fini(struct sl_archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        struct sl_archive_run *run = &archive->runs[i];
        for (size_t k = 0; k < run->count; k++)
            sl_free(run->files[k].path);
        sl_free(run->files);
        sl_free(run->directory);
    }
    sl_free(archive->runs);
    *archive = (struct sl_archive){.runs = NULL};
}

static void put_file(struct sl_json *json, const struct sl_archive_file *file)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "path", file->path);
    sl_json_u64(json, "bytes", file->bytes);
    sl_json_text(json, "sha256", file->sha256);
    sl_json_close_object(json);
}

int sl_archive_list_write(const struct sl_archive *archive, struct sl_buf *out)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", SCHEMA);
    sl_json_open_array(&json, "runs");
    for (size_t i = 0; i < archive->count; i++) {
        const struct sl_archive_run *run = &archive->runs[i];
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "name", run->name);
        sl_json_u64(&json, "run", run->run);
        sl_json_open_array(&json, "files");
        for (size_t k = 0; k < run->count; k++)
            put_file(&json, &run->files[k]);
        sl_json_close_array(&json);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    return json.error;
}

static void read_file(const struct sl_json_at *at, struct sl_archive_file *file)
{
    static const char *const keys[] = {"path", "bytes", "sha256"};
    struct sl_json_at path = sl_json_member(at, keys[0]), digest = sl_json_member(at, keys[2]);
    sl_json_need_object(at, keys, 3, 3);
    const char *text = sl_json_get_text(path);
    sl_json_get_count(sl_json_member(at, keys[1]), &file->bytes);
    sl_json_copy_text(digest, file->sha256, sizeof(file->sha256));
    if (at->reader->error < 0)
        return;
    if (!sl_path_is_below(text) || strlen(text) >= SL_ARCHIVE_PATH_BYTES)
        sl_json_refuse(&path, "This is no path of a run's file");
    else if (strlen(file->sha256) != SL_SHA256_HEX_SIZE - 1)
        sl_json_refuse(&digest, "This is no SHA-256");
    else if (!(file->path = sl_strndup(text, strlen(text))))
        sl_json_stop(at, -ENOMEM);
}

static void read_run(const struct sl_json_at *at, const struct sl_archive *all,
                     struct sl_archive_run *run)
{
    static const char *const keys[] = {"name", "run", "files"};
    struct sl_json_at name = sl_json_member(at, keys[0]), files = sl_json_member(at, keys[2]);
    sl_json_need_object(at, keys, 3, 3);
    sl_json_copy_text(name, run->name, sizeof(run->name));
    sl_json_get_count(sl_json_member(at, keys[1]), &run->run);
    if (at->reader->error < 0)
        return;
    if (!sl_path_is_below(run->name) || strchr(run->name, '/'))
        sl_json_refuse(&name, "This is no name of a directory");
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->runs[i].name, run->name) == 0)
            sl_json_refuse(&name, "Two runs have this name");
    run->files = sl_calloc(sl_json_size(&files) + 1, sizeof(*run->files));
    if (!run->files)
        sl_json_stop(at, -ENOMEM);
    for (struct sl_json_at file = sl_json_first(&files); sl_json_more(&file); sl_json_next(&file))
        read_file(&file, &run->files[run->count++]);
}

int sl_archive_list_read(struct sl_bytes text, struct sl_archive *out, struct sl_diag *diag)
{
    static const char *const keys[] = {"schema", "runs"};
    struct cJSON *document = NULL;
    int rc = sl_json_doc_parse(text, SL_ARCHIVE_LIST, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    struct sl_json_at schema = sl_json_member(&root, keys[0]),
                      runs = sl_json_member(&root, keys[1]);
    sl_json_need_object(&root, keys, 2, 2);
    if (!sl_json_is_text(schema, SCHEMA))
        sl_json_refuse(&schema, "This version of sme2lab reads %s", SCHEMA);
    out->runs =
        sl_calloc(sl_json_need_array(&runs, SL_ARCHIVE_MAX_RUNS, "runs") + 1, sizeof(*out->runs));
    if (!out->runs)
        sl_json_stop(&root, -ENOMEM);
    for (struct sl_json_at run = sl_json_first(&runs); sl_json_more(&run); sl_json_next(&run)) {
        read_run(&run, out, &out->runs[out->count]);
        out->count++;
    }
    sl_json_doc_free(document);
    if (reader.error < 0)
        sl_json_name_file(SL_ARCHIVE_LIST, diag);
    return reader.error;
}
