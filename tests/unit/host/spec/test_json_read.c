/* tests/unit/host/spec/test_json_read.c */
#include "host/spec/json_read.h"

#include <errno.h>

#include "common/base/error.h"
#include "host/spec/json_doc.h"
#include "tests/support/unit.h"

static struct sl_diag diag;
static struct sl_json_reader reader;
static struct cJSON *document;

/* A reader at the document's top. */
static struct sl_json_at read_from(const char *json)
{
    diag = (struct sl_diag){.what = ""};
    reader = (struct sl_json_reader){.diag = &diag};
    sl_json_doc_free(document);
    document = NULL;
    struct sl_bytes text = {(const uint8_t *)json, strlen(json)};
    assert_int_equal(sl_json_doc_parse(text, "f", &document, &diag), 0);
    return sl_json_root(&reader, document);
}

static void end(void)
{
    sl_json_doc_free(document);
    document = NULL;
}

TEST(values_are_read_and_absent_ones_leave_their_outputs_alone)
{
    struct sl_json_at root = read_from("{\"t\":\"abc\",\"n\":7,\"c\":9007199254740992,\"b\":true,"
                                       "\"r\":0.5}");
    char copied[4] = "";
    uint32_t number = 1;
    uint64_t count = 1;
    double real = 1;
    bool flag = false;
    assert_string_equal(sl_json_get_text(sl_json_member(&root, "t")), "abc");
    assert_null(sl_json_get_text(sl_json_member(&root, "x")));
    assert_true(sl_json_is_text(sl_json_member(&root, "t"), "abc"));
    sl_json_copy_text(sl_json_member(&root, "t"), copied, sizeof(copied));
    sl_json_get_integer(sl_json_member(&root, "n"), 0, 7, &number);
    sl_json_get_count(sl_json_member(&root, "c"), &count);
    sl_json_get_real(sl_json_member(&root, "r"), 0, 1, &real);
    sl_json_get_bool(sl_json_member(&root, "b"), &flag);
    sl_json_get_integer(sl_json_member(&root, "x"), 0, 7, &number);
    sl_json_copy_text(sl_json_member(&root, "x"), copied, sizeof(copied));
    assert_string_equal(copied, "abc");
    assert_int_equal(number, 7);
    assert_true(count == UINT64_C(1) << 53 && real > 0.4 && real < 0.6 && flag);
    assert_int_equal(reader.error, 0);
    end();
}

TEST(the_first_error_sticks_and_later_calls_do_nothing)
{
    struct sl_json_at root = read_from("{\"a\":[1,{\"b/c\":\"x\"}],\"d\":\"text\",\"e\":-1}");
    struct sl_json_at list = sl_json_member(&root, "a"), item = sl_json_first(&list);
    uint32_t number = 5;
    sl_json_next(&item);
    sl_json_hint(&item, "say %d", 3);
    sl_json_get_integer(sl_json_member(&item, "b/c"), 0, 9, &number);
    assert_int_equal(reader.error, SL_E_FORMAT);
    sl_json_get_integer(sl_json_member(&root, "e"), 0, 9, &number);
    sl_json_hint(&root, "no");
    sl_json_refuse(&root, "no");
    sl_json_stop(&root, -ENOMEM);
    assert_null(sl_json_get_text(sl_json_member(&root, "d")));
    assert_false(sl_json_more(&item));
    assert_int_equal(sl_json_size(&list), 0);
    assert_int_equal(number, 5);
    assert_int_equal(reader.error, SL_E_FORMAT);
    assert_string_equal(diag.where, "/a/1/b~1c");
    assert_string_equal(diag.what, "This must be a whole number from 0 to 9");
    assert_string_equal(diag.hint, "say 3");
    end();
}

TEST(a_code_that_stops_the_reader_is_kept)
{
    struct sl_json_at root = read_from("{\"a\":1}");
    bool flag = false;
    sl_json_stop(&root, 0);
    assert_int_equal(reader.error, 0);
    sl_json_stop(&root, -ENOMEM);
    sl_json_get_bool(sl_json_member(&root, "a"), &flag);
    assert_int_equal(reader.error, -ENOMEM);
    assert_string_equal(diag.what, "");
    end();
}

TEST(items_and_members_come_in_their_order)
{
    char seen[32] = "";
    struct sl_json_at root = read_from("{\"k\":[10,20],\"l\":{\"x\":1,\"y\":2}}");
    const char *const keys[] = {"k", "l"};
    for (size_t i = 0; i < 2; i++) {
        struct sl_json_at list = sl_json_member(&root, keys[i]);
        assert_int_equal(sl_json_size(&list), 2);
        for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
            uint32_t value = 0;
            sl_json_get_integer(at, 0, 99, &value);
            snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%u ",
                     at.key ? at.key : "", value);
        }
    }
    assert_string_equal(seen, "10 20 x1 y2 ");
    end();
}

TEST(what_does_not_fit_is_refused_with_its_place)
{
    static const char *const keys[] = {"need", "text", "list", "object", "number", "flag"};
    static const struct {
        const char *json, *where, *what, *hint;
    } cases[] = {
        {"7", "/", "object", ""},
        {"{\"text\":\"a\"}", "/need", "no value here", ""},
        {"{\"need\":1,\"tekst\":\"a\"}", "/tekst", "no key 'tekst'", "'text'"},
        {"{\"need\":1,\"zzzzzz\":\"a\"}", "/zzzzzz", "no key", "take it out"},
        {"{\"need\":1,\"text\":\"\"}", "/text", "not empty", ""},
        {"{\"need\":1,\"text\":\"abcd\"}", "/text", "4 bytes, more than 3", ""},
        {"{\"need\":1,\"list\":{}}", "/list", "list", ""},
        {"{\"need\":1,\"list\":[1,2,3]}", "/list", "More than 2 things", ""},
        {"{\"need\":1,\"object\":[]}", "/object", "object", ""},
        {"{\"need\":1,\"object\":{\"a\":1,\"b\":2}}", "/object", "More than 1 members", ""},
        {"{\"need\":1,\"number\":1.5}", "/number", "whole", ""},
        {"{\"need\":1,\"number\":-1}", "/number", "whole", ""},
        {"{\"need\":1,\"flag\":1}", "/flag", "true or false", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_json_at root = read_from(cases[i].json);
        struct sl_json_at list = sl_json_member(&root, "list"),
                          object = sl_json_member(&root, "object");
        char text[4];
        uint64_t count;
        bool flag;
        sl_json_need_object(&root, keys, sizeof(keys) / sizeof(keys[0]), 1);
        sl_json_copy_text(sl_json_member(&root, "text"), text, sizeof(text));
        if (list.value)
            sl_json_need_array(&list, 2, "things");
        if (object.value)
            sl_json_need_members(&object, 1, "members");
        sl_json_get_count(sl_json_member(&root, "number"), &count);
        sl_json_get_bool(sl_json_member(&root, "flag"), &flag);
        assert_int_equal(reader.error, SL_E_FORMAT);
        assert_string_equal(diag.where, cases[i].where);
        if (!strstr(diag.what, cases[i].what) || !strstr(diag.hint, cases[i].hint))
            fail_msg("%zu: %s (%s)", i, diag.what, diag.hint);
    }
    end();
}

/* A pointer that does not fit is cut, never inside an escape. */
TEST(a_long_pointer_is_cut)
{
    char json[600] = "{\"", key[200];
    memset(key, '~', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    strcat(strcat(strcat(json, key), "\":{\""), key);
    strcat(json, "\":1}}");
    struct sl_json_at root = read_from(json), outer = sl_json_member(&root, key),
                      inner = sl_json_member(&outer, key);
    sl_json_refuse(&inner, "no");
    assert_true(strlen(diag.where) < SL_JSON_POINTER_BYTES);
    assert_true(strncmp(diag.where, "/~0~0", 5) == 0);
    assert_int_equal(reader.error, SL_E_FORMAT);
    end();
}

TEST(the_file_is_named_before_the_place_once)
{
    struct sl_json_at root = read_from("{\"a\":1}");
    sl_json_refuse(&root, "no");
    sl_json_name_file("x.json", &diag);
    sl_json_name_file("y.json", &diag);
    assert_string_equal(diag.where, "x.json at /");
    sl_json_name_file("x.json", NULL);
    end();
}
