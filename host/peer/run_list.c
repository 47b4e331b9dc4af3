/* host/peer/run_list.c */
#include "host/peer/run_list.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/path_stem.h"
#include "host/store/run_file.h"

enum { MOST_STEPS = 3 }; /* as deep as sl_run_file_list() looks */

static bool is_digest(const char *text)
{
    return strspn(text, "0123456789abcdef") == SL_SHA256_HEX_SIZE - 1 &&
           text[SL_SHA256_HEX_SIZE - 1] == '\0';
}

static bool is_deep(const char *path)
{
    size_t steps = 1;
    for (; (path = strchr(path, '/')) != NULL; path++)
        steps++;
    return steps > MOST_STEPS;
}

static void take(struct sl_run_list *list, const struct sl_json_at *file, const char *path,
                 const char *sha256, uint64_t bytes)
{
    if (strlen(path) >= SL_RUN_LIST_PATH_BYTES || is_deep(path)) {
        sl_json_refuse(file, "this is no path of a run's file");
    } else if (!sha256 || !is_digest(sha256)) {
        sl_json_hint(file, "that host may be of an earlier version");
        sl_json_refuse(file, "the file has no SHA-256");
    } else if (list->count == SL_RUN_LIST_MAX_FILES ||
               bytes > SL_RUN_LIST_MAX_BYTES - list->bytes) {
        sl_json_refuse(file, "more than %d files, or than 1 GiB, are not copied",
                       SL_RUN_LIST_MAX_FILES);
        file->reader->error = SL_E_LIMIT;
    } else {
        struct sl_run_list_file *taken = &list->files[list->count++];
        memcpy(taken->path, path, strlen(path) + 1);
        memcpy(taken->sha256, sha256, SL_SHA256_HEX_SIZE);
        taken->bytes = bytes;
        list->bytes += bytes;
    }
}

static void read_file(struct sl_run_list *list, const struct sl_json_at *file)
{
    static const char *const keys[] = {"path", "bytes"};
    uint64_t bytes = 0;
    sl_json_need_keys(file, keys, 2);
    const char *path = sl_json_get_text(sl_json_member(file, "path"));
    sl_json_get_count(sl_json_member(file, "bytes"), &bytes);
    if (file->reader->error < 0 || !sl_path_is_artifact(path))
        return;
    const char *sha256 = sl_json_get_text(sl_json_member(file, "sha256"));
    if (file->reader->error == 0)
        take(list, file, path, sha256, bytes);
}

int sl_run_list_read(struct sl_bytes text, struct sl_run_list *out, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_json_reader reader = {.diag = diag};
    *out = (struct sl_run_list){.files = sl_calloc(SL_RUN_LIST_MAX_FILES, sizeof(*out->files))};
    int rc = out->files ? sl_json_doc_parse(text, NULL, &document, diag) : -ENOMEM;
    if (rc == 0) {
        struct sl_json_at root = sl_json_root(&reader, document);
        struct sl_json_at files = sl_json_member(&root, "files");
        sl_json_need_array(&files, SL_RUN_FILES_MAX, "files");
        for (struct sl_json_at file = sl_json_first(&files); sl_json_more(&file);
             sl_json_next(&file))
            read_file(out, &file);
        rc = reader.error;
    }
    sl_json_doc_free(document);
    if (rc < 0)
        sl_run_list_fini(out);
    return rc;
}

void sl_run_list_fini(struct sl_run_list *list)
{
    sl_free(list->files);
    *list = (struct sl_run_list){.files = NULL};
}
