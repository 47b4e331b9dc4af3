/* agent/runtime/weights/weight_cache.h: packed weights in files of a directory.
 *
 * A file is named and keyed by the content of the program and its external data, of this program
 * itself, the method, the variant's instruction set and the streaming vector length. Contents are
 * hashed once for each identity that the system gives a file (device, inode, size, times) and noted
 * beside: at a warm start nothing is read but heads. Files that were not used for longest are
 * removed when all together go over a limit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "agent/runtime/weights/weight_file.h"

struct sl_method;

/* Serves one variant while it is compiled. */
struct sl_weight_cache {
    bool on;
    struct sl_content key;
    struct sl_weight_file file;       /* empty: nothing usable was there */
    struct sl_file_identity identity; /* of that file */
};

/* Opens what the cache has for the variant, if the model has one, and has the method's store note
 * what is asked for. Failures are logged: then there is no cache. */
void sl_weight_cache_open(struct sl_weight_cache *cache, struct sl_method *method, uint32_t isa);
/* Writes what the cache did not have, unless the variant was not `loaded`, and removes other files
 * when they are more than the model allows (weight_prune.h); logs what came of it. */
void sl_weight_cache_close(struct sl_weight_cache *cache, struct sl_method *method, bool loaded);
