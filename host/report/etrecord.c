/* host/report/etrecord.c: after ExecuTorch 1.5 devtools/etrecord and exir/serde. */
#include "host/report/etrecord.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/format/zip_store.h"
#include "host/spec/json_value.h"

#define METHOD "forward"
#define EDGE_DIALECT "executorch.exir.dialects.edge.ops."
enum { MAX_NODES = 1 << 20 };

/* Python writes Infinity and NaN into its JSON, which are none; nothing here reads them. */
static void replace_words(char *text, size_t size)
{
    static const struct {
        const char *word, *number;
    } words[] = {{"Infinity", "1e999   "}, {"NaN", "0  "}};
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        quoted = quoted != (text[i] == '"');
        i += quoted && text[i] == '\\';
        for (size_t k = 0; !quoted && k < 2; k++) {
            size_t len = strlen(words[k].word);
            if (i + len <= size && memcmp(text + i, words[k].word, len) == 0)
                memcpy(text + i, words[k].number, len);
        }
    }
}

static int read_entry(const struct sl_zip *zip, const char *name, cJSON **out, struct sl_diag *diag)
{
    struct sl_bytes bytes;
    int rc = sl_zip_find(zip, name, &bytes, diag);
    if (rc < 0)
        return rc;
    if (sl_utf8_first_bad(bytes) < bytes.size)
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "entry '%s' of the ETRecord is not UTF-8",
                           name);
    char *text = sl_malloc(bytes.size + 1, 1);
    if (!text)
        return sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
    if (bytes.size > 0)
        memcpy(text, bytes.data, bytes.size);
    replace_words(text, bytes.size);
    *out = cJSON_ParseWithLength(text, bytes.size);
    sl_free(text);
    if (*out && cJSON_IsObject(*out))
        return 0;
    cJSON_Delete(*out);
    *out = NULL;
    return sl_diag_set(diag, SL_E_FORMAT, NULL, "entry '%s' of the ETRecord is no JSON object",
                       name);
}

/* An operator's name as it prints itself: of the edge dialect with its namespace, of torch.ops
 * without, of anything else the last word. */
static void name_type(const char *target, char *out, size_t size)
{
    const char *name = target;
    if (strncmp(target, EDGE_DIALECT, strlen(EDGE_DIALECT)) == 0) {
        name = target + strlen(EDGE_DIALECT);
    } else if (strncmp(target, "torch.ops.", 10) == 0) {
        const char *dot = strchr(target + 10, '.');
        name = dot ? dot + 1 : target + 10;
    } else if (strrchr(target, '.')) {
        name = strrchr(target, '.') + 1;
    }
    snprintf(out, size, "%s", name);
}

static int list_nodes(struct sl_etrecord *record, struct sl_diag *diag)
{
    const cJSON *module = sl_value(record->graph, "graph_module");
    const cJSON *nodes = sl_value(sl_value(module, "graph"), "nodes");
    const cJSON *node;
    int count = cJSON_GetArraySize(nodes);
    if (!cJSON_IsArray(nodes) || count > MAX_NODES)
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "the ETRecord's graph has no list of nodes");
    record->nodes = sl_calloc((size_t)count + 1, sizeof(*record->nodes));
    if (!record->nodes)
        return -ENOMEM;
    cJSON_ArrayForEach(node, nodes)
    {
        const cJSON *metadata = sl_value(node, "metadata");
        const char *handle = sl_value_text(metadata, "debug_handle", NULL);
        const char *target = sl_value_text(node, "target", NULL);
        struct sl_etrecord_node *made = &record->nodes[record->node_count];
        if (!handle || !target)
            continue;
        made->name = sl_value_text(node, "name", NULL);
        made->stack = sl_value_text(metadata, "stack_trace", NULL);
        made->modules = sl_value_text(metadata, "nn_module_stack", NULL);
        made->handle = strtoll(handle, NULL, 10);
        name_type(target, made->type, sizeof(made->type));
        record->node_count++;
    }
    return 0;
}

int sl_etrecord_parse(struct sl_bytes file, struct sl_etrecord *out, struct sl_diag *diag)
{
    struct sl_etrecord made = {.handles = NULL};
    struct sl_zip zip;
    struct sl_bytes mark;
    int rc = sl_zip_open(file, &zip, diag);
    if (rc == 0 && sl_zip_find(&zip, "ETRECORD_V0", &mark, NULL) < 0)
        rc = sl_diag_set(diag, SL_E_FORMAT, NULL, "the archive is no ETRecord: no ETRECORD_V0");
    if (rc == 0)
        rc = read_entry(&zip, "debug_handle_map", &made.handles, diag);
    if (rc == 0)
        rc = read_entry(&zip, "delegate_map", &made.delegates, diag);
    if (rc == 0) {
        rc = read_entry(&zip, "edge_dialect_exported_program/" METHOD, &made.graph, diag);
        if (rc == SL_E_NOT_FOUND) /* of older versions */
            rc = read_entry(&zip, "edge_dialect_exported_program", &made.graph, diag);
    }
    if (rc == 0)
        rc = list_nodes(&made, diag);
    if (rc < 0)
        sl_etrecord_fini(&made);
    else
        *out = made;
    return rc;
}

int sl_etrecord_load(const char *path, struct sl_etrecord *out, struct sl_diag *diag)
{
    struct sl_buf bytes;
    int rc = sl_buf_read_file(path, SL_ETRECORD_MAX_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the ETRecord cannot be read: %s", sl_strerror(rc));
    rc = sl_etrecord_parse((struct sl_bytes){bytes.data, bytes.size}, out, diag);
    sl_buf_fini(&bytes);
    if (rc < 0 && diag) {
        char why[128];
        snprintf(why, sizeof(why), "%.127s", diag->what);
        sl_diag_set(diag, rc, path, "the ETRecord cannot be read: %s", why);
    }
    return rc;
}

void sl_etrecord_fini(struct sl_etrecord *record)
{
    cJSON_Delete(record->handles);
    cJSON_Delete(record->delegates);
    cJSON_Delete(record->graph);
    sl_free(record->nodes);
    *record = (struct sl_etrecord){0};
}

/* Adds the nodes of a handle to the match. */
static int add_handle(const struct sl_etrecord *record, const cJSON *handle,
                      struct sl_etrecord_match *out)
{
    for (size_t i = 0; cJSON_IsNumber(handle) && i < record->node_count; i++) {
        if ((double)record->nodes[i].handle != handle->valuedouble)
            continue;
        void *grown = sl_realloc((void *)out->nodes, out->node_count + 1, sizeof(*out->nodes));
        if (!grown)
            return -ENOMEM;
        out->nodes = grown;
        out->nodes[out->node_count++] = &record->nodes[i];
    }
    return 0;
}

/* The handles that a delegate's map has for an identifier: its own, else those of the last key that
 * is a part of it. */
static const cJSON *delegated_handles(const cJSON *map, const char *id)
{
    const cJSON *found = sl_value(map, id);
    const cJSON *key;
    cJSON_ArrayForEach(key, map)
    {
        if (strstr(id, key->string))
            found = key;
    }
    return found;
}

static const cJSON *find_handles(const struct sl_etrecord *record, int64_t instruction,
                                 const char *name, bool delegated, const char **out_backend)
{
    char key[24];
    snprintf(key, sizeof(key), "%" PRId64, instruction);
    const cJSON *handles = sl_value(sl_value(record->handles, METHOD), key);
    const cJSON *delegate = sl_value(sl_value(record->delegates, METHOD), key);
    const char *backend = sl_value_text(delegate, "name", NULL);
    if (!handles)
        return NULL;
    if (delegate && (delegated || strcmp(name, "DELEGATE_CALL") == 0))
        *out_backend = backend ? backend : "";
    return delegated && delegate ? delegated_handles(sl_value(delegate, "delegate_map"), name)
                                 : handles;
}

static bool is_reserved(const char *name)
{
    return strcmp(name, "Method::init") == 0 || strcmp(name, "Program::load_method") == 0 ||
           strcmp(name, "Method::execute") == 0;
}

int sl_etrecord_find(const struct sl_etrecord *record, int64_t instruction, const char *name,
                     size_t len, bool delegated, struct sl_etrecord_match *out)
{
    struct sl_etrecord_match match = {.node_count = 0};
    char *text = sl_strndup(name, len);
    int rc = text ? 0 : -ENOMEM;
    if (rc == 0) {
        const cJSON *handles = find_handles(record, instruction, text, delegated, &match.backend);
        const cJSON *handle;
        if (is_reserved(text))
            handles = NULL;
        if (cJSON_IsNumber(handles))
            rc = add_handle(record, handles, &match);
        else
            cJSON_ArrayForEach(handle, handles)
            {
                if (rc == 0)
                    rc = add_handle(record, handle, &match);
            }
    }
    sl_free(text);
    if (rc < 0)
        sl_etrecord_match_fini(&match);
    else
        *out = match;
    return rc;
}

void sl_etrecord_match_fini(struct sl_etrecord_match *match)
{
    sl_free((void *)match->nodes);
    *match = (struct sl_etrecord_match){0};
}

struct frame {
    const char *path, *path_end;
    int line;
};

/* Frames inside PyTorch say how, not where. */
static bool is_library(const struct frame *frame)
{
    for (const char *p = frame->path; p + 7 <= frame->path_end; p++)
        if (strncmp(p, "/torch/", 7) == 0)
            return true;
    return false;
}

/* The last frame of a stack trace that is the model's own; false: none. */
static bool find_frame(const struct sl_etrecord_node *node, struct frame *out)
{
    static const char mark[] = "File \"";
    bool found = false;
    for (const char *at = node->stack ? strstr(node->stack, mark) : NULL; at;
         at = strstr(at + 1, mark)) {
        struct frame frame = {.path = at + sizeof(mark) - 1};
        frame.path_end = strchr(frame.path, '"');
        if (!frame.path_end || sscanf(frame.path_end, "\", line %d", &frame.line) != 1)
            break;
        if (!is_library(&frame)) {
            *out = frame;
            found = true;
        }
    }
    return found;
}

void sl_etrecord_place(const struct sl_etrecord_node *node, char *out, size_t size)
{
    struct frame frame;
    out[0] = '\0';
    if (!find_frame(node, &frame))
        return;
    const char *base = frame.path;
    for (const char *p = frame.path; p < frame.path_end; p++)
        base = *p == '/' ? p + 1 : base;
    snprintf(out, size, "%.*s:%d", (int)(frame.path_end - base < 200 ? frame.path_end - base : 200),
             base, frame.line);
}

void sl_etrecord_code(const struct sl_etrecord_node *node, char *out, size_t size)
{
    struct frame frame;
    const char *at = find_frame(node, &frame) ? strchr(frame.path_end, '\n') : NULL;
    out[0] = '\0';
    if (!at)
        return;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "File \"", 6) != 0) /* a frame without its line is followed by the next */
        snprintf(out, size, "%.*s", (int)(strcspn(at, "\n") < 400 ? strcspn(at, "\n") : 400), at);
}
