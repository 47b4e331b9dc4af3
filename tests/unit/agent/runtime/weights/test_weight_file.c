/* tests/unit/agent/runtime/weights/test_weight_file.c */
#include "tests/support/unit.h"

#include "agent/runtime/weights/weight_file.h"
#include "common/base/error.h"

enum { ENTRIES = 2, FIRST_BYTES = 100, SECOND_BYTES = 64, FILE_BYTES = 192 + 128 + 64 };
static const struct sl_content key = {7, 8};

/* Two weights of 100 and 64 bytes behind a head of 192. */
static void make(uint8_t *file, struct sl_weight_entry second)
{
    const struct sl_weight_entry first = {1, 192, FIRST_BYTES};
    memset(file, 0, FILE_BYTES);
    memset(file + 192, 0x11, FIRST_BYTES);
    memset(file + 320, 0x22, SECOND_BYTES);
    sl_weight_file_put_entry(file, 0, &first);
    sl_weight_file_put_entry(file, 1, &second);
    sl_weight_file_put_head(file, ENTRIES, key, FILE_BYTES,
                            sl_content_of(file + 192, FILE_BYTES - 192));
}

static int parse(const uint8_t *bytes, size_t size, struct sl_weight_file *out)
{
    const char *why = NULL;
    int rc = sl_weight_file_parse((struct sl_bytes){bytes, size}, key, out, &why);
    assert_int_equal(rc != 0, why != NULL);
    return rc;
}

TEST(what_was_written_is_read)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    make(bytes, (struct sl_weight_entry){2, 320, SECOND_BYTES});
    assert_int_equal(parse(bytes, FILE_BYTES, &file), 0);
    assert_int_equal(file.count, 2);
    struct sl_weight_entry entry = sl_weight_file_entry(&file, 1);
    assert_int_equal(entry.form, 2);
    assert_int_equal(entry.offset, 320);
    assert_int_equal(entry.bytes, SECOND_BYTES);
    assert_true(sl_weight_file_whole(&file));
}

TEST(every_damaged_byte_is_seen)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    make(bytes, (struct sl_weight_entry){2, 320, SECOND_BYTES});
    for (size_t i = 0; i < FILE_BYTES; i++) {
        bytes[i] ^= 0x40;
        assert_true(parse(bytes, FILE_BYTES, &file) != 0 || !sl_weight_file_whole(&file));
        bytes[i] ^= 0x40;
    }
}

TEST(every_shorter_or_longer_file_is_refused)
{
    uint8_t bytes[FILE_BYTES + 1] = {0};
    struct sl_weight_file file;
    make(bytes, (struct sl_weight_entry){2, 320, SECOND_BYTES});
    for (size_t size = 0; size < FILE_BYTES; size++) {
        uint8_t *copy = sl_test_copy(bytes, size);
        assert_int_equal(parse(copy, size, &file), SL_E_TRUNCATED);
        free(copy);
    }
    assert_int_equal(parse(bytes, FILE_BYTES + 1, &file), SL_E_TRUNCATED);
}

TEST(weights_outside_the_file_or_over_each_other_are_refused)
{
    static const struct sl_weight_entry lies[] = {
        {2, 320, SECOND_BYTES + 1},
        {2, 256, SECOND_BYTES},
        {2, 321, 1},
        {2, 0, 1},
        {2, UINT64_MAX - 63, 64},
        {2, 320, UINT64_MAX},
        {2, FILE_BYTES, 1},
        {2, FILE_BYTES + 64, 0},
    };
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        make(bytes, lies[i]);
        assert_int_equal(parse(bytes, FILE_BYTES, &file), SL_E_FORMAT);
    }
}

TEST(a_file_of_another_key_is_refused)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    const char *why;
    make(bytes, (struct sl_weight_entry){2, 320, SECOND_BYTES});
    assert_int_equal(sl_weight_file_parse((struct sl_bytes){bytes, FILE_BYTES},
                                          (struct sl_content){7, 9}, &file, &why),
                     SL_E_MISMATCH);
}

TEST(more_entries_than_the_limit_are_refused)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    make(bytes, (struct sl_weight_entry){2, 320, SECOND_BYTES});
    sl_store_u32(bytes + 12, SL_WEIGHT_MAX_ENTRIES + 1);
    assert_int_equal(parse(bytes, FILE_BYTES, &file), SL_E_LIMIT);
}

TEST(a_note_is_read_for_its_identity_alone)
{
    const struct sl_file_identity identity = {1, 2, 3, 4, 5, 6, 7};
    struct sl_file_identity other = identity;
    struct sl_content content = {0};
    uint8_t note[SL_WEIGHT_NOTE_BYTES];
    sl_weight_note_put(&identity, key, note);
    struct sl_bytes bytes = {note, sizeof(note)};
    assert_true(sl_weight_note_read(bytes, &identity, &content));
    assert_true(sl_content_equal(content, key));
    other.changed_ns++;
    assert_false(sl_weight_note_read(bytes, &other, &content));
    bytes.size--;
    assert_false(sl_weight_note_read(bytes, &identity, &content));
    bytes.size++;
    for (size_t i = 0; i < sizeof(note); i++) {
        note[i] ^= 1;
        assert_false(sl_weight_note_read(bytes, &identity, &content));
        note[i] ^= 1;
    }
}
