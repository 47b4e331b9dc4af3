/* agent/runtime/weights/weight_file.c */
#include "agent/runtime/weights/weight_file.h"

#include <string.h>

#include "common/base/error.h"

enum { VERSION = 1, HASHED_AT = 32, HEAD_HASH_AT = 16, ALIGNMENT = 64, NOTE_HASH_AT = 80 };

static const char file_magic[8] = "SLWPACK", note_magic[8] = "SLWNOTE";

static void put_content(uint8_t *at, struct sl_content content)
{
    sl_store_u64(at, content.low);
    sl_store_u64(at + 8, content.high);
}

static struct sl_content content_at(const uint8_t *at)
{
    return (struct sl_content){sl_load_u64(at), sl_load_u64(at + 8)};
}

uint64_t sl_weight_file_data_at(uint32_t count)
{
    uint64_t end = SL_WEIGHT_HEAD_BYTES + (uint64_t)count * SL_WEIGHT_ENTRY_BYTES;
    return (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Hashes everything before the weights but the magic and the hash itself. */
static struct sl_content head_hash(const uint8_t *head, uint32_t count)
{
    return sl_content_of(head + HASHED_AT, sl_weight_file_data_at(count) - HASHED_AT);
}

static int refuse(const char **out_why, int rc, const char *why)
{
    *out_why = why;
    return rc;
}

static int check_entries(const struct sl_weight_file *file, const char **out_why)
{
    uint64_t end = file->data_at;
    for (uint32_t i = 0; i < file->count; i++) {
        struct sl_weight_entry entry = sl_weight_file_entry(file, i);
        if (entry.offset % ALIGNMENT != 0 || entry.offset < end ||
            entry.offset > file->bytes.size || entry.bytes > file->bytes.size - entry.offset)
            return refuse(out_why, SL_E_FORMAT, "weights lie outside it or over each other");
        end = entry.offset + entry.bytes;
    }
    return 0;
}

int sl_weight_file_parse(struct sl_bytes bytes, struct sl_content key, struct sl_weight_file *out,
                         const char **out_why)
{
    const uint8_t *head = bytes.data;
    if (bytes.size < SL_WEIGHT_HEAD_BYTES)
        return refuse(out_why, SL_E_TRUNCATED, "it is shorter than its head");
    if (memcmp(head, file_magic, sizeof(file_magic)) != 0 || sl_load_u32(head + 8) != VERSION)
        return refuse(out_why, SL_E_FORMAT, "it is no weight file of this version");
    struct sl_weight_file file = {.bytes = bytes, .count = sl_load_u32(head + 12)};
    if (file.count > SL_WEIGHT_MAX_ENTRIES)
        return refuse(out_why, SL_E_LIMIT, "it has too many entries");
    file.data_at = sl_weight_file_data_at(file.count);
    if (bytes.size < file.data_at || bytes.size != sl_load_u64(head + 48))
        return refuse(out_why, SL_E_TRUNCATED, "it is not as long as it says");
    if (!sl_content_equal(head_hash(head, file.count), content_at(head + HEAD_HASH_AT)))
        return refuse(out_why, SL_E_FORMAT, "its head is damaged");
    if (!sl_content_equal(content_at(head + 32), key))
        return refuse(out_why, SL_E_MISMATCH, "it belongs to something else");
    file.content = content_at(head + 56);
    int rc = check_entries(&file, out_why);
    if (rc == 0)
        *out = file;
    return rc;
}

struct sl_weight_entry sl_weight_file_entry(const struct sl_weight_file *file, uint32_t index)
{
    const uint8_t *at =
        file->bytes.data + SL_WEIGHT_HEAD_BYTES + (size_t)index * SL_WEIGHT_ENTRY_BYTES;
    return (struct sl_weight_entry){sl_load_u64(at), sl_load_u64(at + 8), sl_load_u64(at + 16)};
}

bool sl_weight_file_whole(const struct sl_weight_file *file)
{
    struct sl_content content =
        sl_content_of(file->bytes.data + file->data_at, file->bytes.size - file->data_at);
    return sl_content_equal(content, file->content);
}

void sl_weight_file_put_entry(uint8_t *head, uint32_t index, const struct sl_weight_entry *entry)
{
    uint8_t *at = head + SL_WEIGHT_HEAD_BYTES + (size_t)index * SL_WEIGHT_ENTRY_BYTES;
    sl_store_u64(at, entry->form);
    sl_store_u64(at + 8, entry->offset);
    sl_store_u64(at + 16, entry->bytes);
}

void sl_weight_file_put_head(uint8_t *head, uint32_t count, struct sl_content key,
                             uint64_t file_bytes, struct sl_content content)
{
    memset(head, 0, SL_WEIGHT_HEAD_BYTES);
    memcpy(head, file_magic, sizeof(file_magic));
    sl_store_u32(head + 8, VERSION);
    sl_store_u32(head + 12, count);
    put_content(head + 32, key);
    sl_store_u64(head + 48, file_bytes);
    put_content(head + 56, content);
    put_content(head + HEAD_HASH_AT, head_hash(head, count));
}

/* The identity's seven numbers. */
static void put_identity(const struct sl_file_identity *identity, uint8_t *at)
{
    const uint64_t numbers[] = {identity->device,      identity->inode,
                                identity->size,        (uint64_t)identity->modified_s,
                                identity->modified_ns, (uint64_t)identity->changed_s,
                                identity->changed_ns};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sl_store_u64(at + 8 * i, numbers[i]);
}

void sl_weight_note_put(const struct sl_file_identity *identity, struct sl_content content,
                        uint8_t out[SL_WEIGHT_NOTE_BYTES])
{
    memcpy(out, note_magic, sizeof(note_magic));
    put_identity(identity, out + 8);
    put_content(out + 64, content);
    put_content(out + NOTE_HASH_AT, sl_content_of(out, NOTE_HASH_AT));
}

bool sl_weight_note_read(struct sl_bytes bytes, const struct sl_file_identity *identity,
                         struct sl_content *out)
{
    uint8_t numbers[56];
    put_identity(identity, numbers);
    if (bytes.size != SL_WEIGHT_NOTE_BYTES ||
        memcmp(bytes.data, note_magic, sizeof(note_magic)) != 0 ||
        memcmp(bytes.data + 8, numbers, sizeof(numbers)) != 0 ||
        !sl_content_equal(sl_content_of(bytes.data, NOTE_HASH_AT),
                          content_at(bytes.data + NOTE_HASH_AT)))
        return false;
    *out = content_at(bytes.data + 64);
    return true;
}
