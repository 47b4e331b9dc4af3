/* agent/runtime/weights/weight_cache.c */
#include "agent/runtime/weights/weight_cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/runtime/method.h"
#include "agent/runtime/weights/known_content.h"
#include "agent/runtime/weights/weight_prune.h"
#include "agent/runtime/weights/weight_write.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/process.h"
#include "kernels/cpu/isa.h"

enum { PATH_BYTES = 4096 };

#define LOG(method, level, ...)                                                                    \
    sl_model_log((method)->model, level, "weight_cache.c", __LINE__, __VA_ARGS__)

/* Hashes the running program, since any change of it may change a layout. If the system does not
 * say which file that is, there is no cache. */
static int own_content(const char *directory, struct sl_content *out)
{
    struct sl_bytes bytes;
    struct sl_file_identity identity;
    const char *program = sl_process_file();
    int rc = program ? sl_file_map(program, &bytes, &identity) : -ENOENT;
    if (rc != 0)
        return rc;
    *out = sl_known_content(directory, &identity, bytes);
    sl_file_unmap(&bytes);
    return 0;
}

static int make_key(const struct sl_method *method, uint32_t isa, struct sl_content *out)
{
    const struct sl_model *model = method->model;
    const uint64_t numbers[] = {isa, sl_isa_svl_bytes(), model->data != NULL};
    struct sl_content parts[3] = {{0}};
    struct sl_content_hash hash;
    int rc = own_content(model->weight_cache, &parts[0]);
    if (rc != 0)
        return rc;
    parts[1] = sl_known_content(model->weight_cache, &model->identity, model->mapping);
    if (model->data)
        parts[2] =
            sl_known_content(model->weight_cache, &model->data->identity, model->data->mapping);
    const char *name = sl_method_name(method);
    sl_content_start(&hash);
    sl_content_add(&hash, parts, sizeof(parts));
    sl_content_add(&hash, numbers, sizeof(numbers));
    sl_content_add(&hash, name, strlen(name));
    struct sl_bytes kept = sl_kept_out_bytes(method->kept); /* other kernels, other layouts */
    if (kept.size > 0)
        sl_content_add(&hash, kept.data, kept.size);
    *out = sl_content_end(&hash);
    return 0;
}

static bool file_path(const struct sl_weight_cache *cache, const struct sl_method *method,
                      char *out)
{
    return sl_path_join(out, PATH_BYTES, method->model->weight_cache,
                        "%016" PRIx64 "%016" PRIx64 ".weights", cache->key.low,
                        cache->key.high) == 0;
}

/* Whole files are noted as such, so that they need not be read again. */
static bool is_whole(const char *directory, const struct sl_weight_file *file,
                     const struct sl_file_identity *identity)
{
    struct sl_content known;
    if (sl_known_content_find(directory, identity, &known))
        return sl_content_equal(known, file->content);
    bool settled = sl_known_content_settled(identity), whole = sl_weight_file_whole(file);
    if (whole && settled)
        sl_known_content_note(directory, identity, file->content);
    return whole;
}

/* Takes the variant's file if there is one that can be used. */
static void open_file(struct sl_weight_cache *cache, struct sl_method *method, const char *path)
{
    struct sl_bytes bytes;
    const char *why = "its weights are damaged";
    int rc = sl_file_map(path, &bytes, &cache->identity);
    if (rc != 0) {
        if (rc != -ENOENT)
            LOG(method, 'E', "Weight cache: %s cannot be read and is not used: %s", path,
                sl_strerror(rc));
        return;
    }
    rc = sl_weight_file_parse(bytes, cache->key, &cache->file, &why);
    if (rc == 0 && !is_whole(method->model->weight_cache, &cache->file, &cache->identity))
        rc = SL_E_FORMAT;
    if (rc == 0 && !sl_weight_store_keep(&method->weights, bytes)) {
        rc = SL_E_LIMIT;
        why = "too many are open";
    }
    if (rc == 0)
        return;
    LOG(method, 'E', "Weight cache: %s is not used, and written anew: %s", path, why);
    sl_file_unmap(&bytes);
    cache->file = (struct sl_weight_file){0};
}

void sl_weight_cache_open(struct sl_weight_cache *cache, struct sl_method *method, uint32_t isa)
{
    char path[PATH_BYTES];
    const char *directory = method->model->weight_cache;
    *cache = (struct sl_weight_cache){.on = false};
    if (!directory)
        return;
    int rc = mkdir(directory, 0755) != 0 && errno != EEXIST ? -errno : 0;
    if (rc == 0)
        rc = make_key(method, isa, &cache->key);
    if (rc == 0 && !file_path(cache, method, path))
        rc = -ENAMETOOLONG;
    if (rc != 0) {
        LOG(method, 'E', "Weight cache: %s cannot be used: %s", directory, sl_strerror(rc));
        return;
    }
    cache->on = true;
    open_file(cache, method, path);
    sl_weight_store_record(&method->weights, cache->file.count != 0 ? &cache->file : NULL);
}

static void write_file(const struct sl_weight_cache *cache, struct sl_method *method,
                       const char *path)
{
    struct sl_weight_store *store = &method->weights;
    const struct sl_model *model = method->model;
    const char *directory = model->weight_cache;
    if (store->lying)
        LOG(method, 'E', "Weight cache: %s holds other weights than were asked for", path);
    int rc = sl_weight_write(store, cache->key, model->weight_cache_bytes, directory, path);
    if (rc != 0) {
        LOG(method, 'E', "Weight cache: %s cannot be written: %s", path, sl_strerror(rc));
        return;
    }
    LOG(method, 'I', "Weight cache: %u packed weights were written to %s.", store->order_count,
        directory);
    rc = sl_weight_prune(directory, model->weight_cache_bytes);
    if (rc < 0)
        LOG(method, 'E', "Weight cache: %s cannot be kept small: %s", directory, sl_strerror(rc));
    else if (rc > 0)
        LOG(method, 'I', "Weight cache: %d files that were not used for longest were removed.", rc);
}

void sl_weight_cache_close(struct sl_weight_cache *cache, struct sl_method *method, bool loaded)
{
    struct sl_weight_store *store = &method->weights;
    const char *directory = method->model->weight_cache;
    char path[PATH_BYTES];
    if (cache->on && loaded && sl_weight_store_served(store)) {
        sl_known_content_touch(directory, &cache->identity);
        LOG(method, 'I', "Weight cache: %u packed weights were taken from %s.", cache->file.count,
            directory);
    } else if (cache->on && loaded && store->order_count != 0 && file_path(cache, method, path)) {
        write_file(cache, method, path);
    }
    sl_weight_store_stop(store);
}
