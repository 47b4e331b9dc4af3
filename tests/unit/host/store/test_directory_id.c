/* tests/unit/host/store/test_directory_id.c */
#include "host/store/directory_id.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

static struct sl_database store, other;
static char file[128];

static int make_stores(void **state)
{
    int rc = make_store_folder(state);
    snprintf(file, sizeof(file), "%s/runs/%s", store_folder, SL_DIRECTORY_ID_FILE);
    store = (struct sl_database){.identity = "00112233445566778899aabbccddeeff", .shared = true};
    other = (struct sl_database){.identity = "ff112233445566778899aabbccddeeff", .shared = true};
    snprintf(store.root, sizeof(store.root), "%s", store_folder);
    snprintf(other.root, sizeof(other.root), "%s", store_folder);
    return rc;
}

TEST_WITH(a_directory_has_one_identity_for_all_hosts, make_stores, remove_store_folder)
{
    struct sl_diag diag = {.what = ""};
    char had[sizeof(store.directory_id)];
    assert_true(sl_directory_id_is_there(&store)); /* none was asked for */
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_int_equal(strlen(store.directory_id), 16);
    memcpy(had, store.directory_id, sizeof(had));
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_string_equal(store.directory_id, had);
    assert_true(sl_directory_id_is_there(&store));
    assert_int_equal(unlink(file), 0);
    assert_false(sl_directory_id_is_there(&store));
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_string_not_equal(store.directory_id, had);
}

TEST_WITH(another_stores_directory_is_refused_with_what_to_do, make_stores, remove_store_folder)
{
    struct sl_diag diag = {.what = ""};
    char blobs[128];
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_int_equal(sl_directory_id_open(&other, &diag), SL_E_MISMATCH);
    assert_non_null(strstr(diag.what, "another store's"));
    assert_non_null(strstr(diag.hint, "mount"));
    assert_non_null(strstr(diag.where, "/runs"));
    assert_string_equal(other.directory_id, "");
    assert_int_equal(unlink(file), 0);
    assert_int_equal(sl_directory_id_open(&other, &diag), SL_E_MISMATCH); /* the blobs are not */
    snprintf(blobs, sizeof(blobs), "%s/blobs/%s", store_folder, SL_DIRECTORY_ID_FILE);
    assert_int_equal(unlink(blobs), 0);
    assert_int_equal(sl_directory_id_open(&other, &diag), 0);
}

TEST_WITH(the_directory_that_went_away_is_named, make_stores, remove_store_folder)
{
    struct sl_diag diag = {.what = ""};
    char blobs[128], kept[160];
    snprintf(blobs, sizeof(blobs), "%s/blobs/%s", store_folder, SL_DIRECTORY_ID_FILE);
    snprintf(kept, sizeof(kept), "%s.away", blobs);
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_null(sl_directory_id_gone(&store));
    assert_int_equal(rename(blobs, kept), 0);
    assert_string_equal(sl_directory_id_gone(&store), "blobs");
    assert_false(sl_directory_id_is_there(&store));
    assert_int_equal(rename(file, blobs), 0); /* another directory in its place */
    assert_string_equal(sl_directory_id_gone(&store), "runs");
    assert_int_equal(rename(blobs, file), 0);
    assert_int_equal(rename(kept, blobs), 0);
    assert_null(sl_directory_id_gone(&store));
}

TEST_WITH(a_bare_folder_does_not_take_the_place_of_blobs, make_stores, remove_store_folder)
{
    struct sl_diag diag = {.what = ""};
    char blobs[128], kept[128], away[160], had[sizeof(store.blobs_id)];
    snprintf(blobs, sizeof(blobs), "%s/blobs/%s", store_folder, SL_DIRECTORY_ID_FILE);
    snprintf(kept, sizeof(kept), "%s/%s", store_folder, SL_DIRECTORY_ID_FILE);
    snprintf(away, sizeof(away), "%s.away", blobs);
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    memcpy(had, store.blobs_id, sizeof(had));
    assert_int_equal(rename(blobs, away), 0); /* as where the disk of blobs is not mounted */
    assert_int_equal(sl_directory_id_open(&store, &diag), SL_E_MISMATCH);
    assert_non_null(strstr(diag.what, "mounted"));
    assert_non_null(strstr(diag.hint, kept));
    assert_int_equal(access(blobs, F_OK), -1); /* nothing was made there */
    assert_int_equal(rename(away, blobs), 0);
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_string_equal(store.blobs_id, had);
    assert_int_equal(unlink(blobs), 0);
    assert_int_equal(unlink(kept), 0); /* as the hint says */
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    assert_string_not_equal(store.blobs_id, had);
    assert_int_equal(sl_buf_write_file(kept, "x", 1), 0);
    assert_int_equal(sl_directory_id_open(&store, &diag), SL_E_FORMAT);
}

TEST_WITH(what_is_no_identity_is_refused, make_stores, remove_store_folder)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "00112233445566778899aabbccddeeff\n",
                                      "00112233445566778899aabbccddeeff 0123456789abcde\n",
                                      "00112233445566778899aabbccddeeff 0123456789abcdef",
                                      "00112233445566778899aabbccddeeff 0123456789abcdef\n\n",
                                      " 0123456789abcdef\n"};
    char long_one[300];
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_directory_id_open(&store, &diag), 0);
    memset(long_one, 'a', sizeof(long_one));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(sl_buf_write_file(file, bad[i], strlen(bad[i])), 0);
        assert_int_equal(sl_directory_id_open(&store, &diag), SL_E_FORMAT);
        assert_false(sl_directory_id_is_there(&store));
    }
    assert_int_equal(sl_buf_write_file(file, long_one, sizeof(long_one)), 0);
    assert_int_equal(sl_directory_id_open(&store, &diag), SL_E_FORMAT);
}
