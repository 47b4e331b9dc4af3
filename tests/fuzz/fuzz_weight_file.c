/* tests/fuzz/fuzz_weight_file.c: a weight file, or a note, whose hashes are made right first: else
 * hardly any input would get past them. */
#include <stdlib.h>

#include "agent/runtime/weights/weight_file.h"
#include "common/base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(uint8_t *at, struct sl_content content)
{
    sl_store_u64(at, content.low);
    sl_store_u64(at + 8, content.high);
}

/* The head's own hash, of all between it and the weights. */
static void mend_head(uint8_t *bytes, size_t size)
{
    uint64_t end =
        size >= SL_WEIGHT_HEAD_BYTES ? sl_weight_file_data_at(sl_load_u32(bytes + 12)) : 0;
    if (end != 0 && end <= size)
        put(bytes + 16, sl_content_of(bytes + 32, (size_t)end - 32));
}

static unsigned read_weights(const struct sl_weight_file *file)
{
    unsigned sum = sl_weight_file_whole(file);
    for (uint32_t i = 0; i < file->count; i++) {
        struct sl_weight_entry entry = sl_weight_file_entry(file, i);
        for (uint64_t k = 0; k < entry.bytes; k++)
            sum += file->bytes.data[entry.offset + k];
    }
    return sum;
}

static void read_note(uint8_t *bytes, size_t size)
{
    struct sl_file_identity identity = {0};
    struct sl_content content;
    if (size == SL_WEIGHT_NOTE_BYTES) {
        identity = (struct sl_file_identity){
            sl_load_u64(bytes + 8),           sl_load_u64(bytes + 16),
            sl_load_u64(bytes + 24),          (int64_t)sl_load_u64(bytes + 32),
            (int64_t)sl_load_u64(bytes + 48), sl_load_u64(bytes + 40),
            sl_load_u64(bytes + 56)};
        put(bytes + 80, sl_content_of(bytes, 80));
    }
    (void)sl_weight_note_read((struct sl_bytes){bytes, size}, &identity, &content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_weight_file file;
    struct sl_content key = {0};
    const char *why;
    volatile unsigned sum = 0;
    uint8_t *bytes = malloc(size != 0 ? size : 1);
    if (!bytes)
        return 0;
    if (size != 0)
        memcpy(bytes, data, size);
    if (sl_weight_file_parse((struct sl_bytes){bytes, size}, key, &file, &why) == 0)
        sum += read_weights(&file);
    mend_head(bytes, size);
    if (size >= SL_WEIGHT_HEAD_BYTES)
        key = (struct sl_content){sl_load_u64(bytes + 32), sl_load_u64(bytes + 40)};
    if (sl_weight_file_parse((struct sl_bytes){bytes, size}, key, &file, &why) == 0)
        sum += read_weights(&file);
    key.low++;
    (void)sl_weight_file_parse((struct sl_bytes){bytes, size}, key, &file, &why);
    read_note(bytes, size);
    (void)sum;
    free(bytes);
    return 0;
}
