/* tests/unit/host/spec/test_plan_paths.c */
#include "host/spec/plan_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "tests/support/test.h"

static char folder[64];

static int make_folder(void **state)
{
    char path[96];
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-paths-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("sub", 0700) < 0)
        return -1;
    snprintf(path, sizeof(path), "%s/here.pte", folder); /* seen from the working directory alone */
    return sl_buf_write_file(path, "x", 1) < 0 || sl_buf_write_file("sub/there.pte", "x", 1) < 0;
}

static int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") < 0 || system(command) != 0;
}

/* The plan that a document of sub/c.json becomes; freed by the caller. */
static char *resolved(const char *text)
{
    cJSON *document = cJSON_Parse(text);
    assert_non_null(document);
    assert_int_equal(sl_plan_paths_resolve(document, "sub/c.json"), 0);
    char *out = cJSON_PrintUnformatted(document);
    cJSON_Delete(document);
    assert_non_null(out);
    return out;
}

static void comes_to(const char *text, const char *expected)
{
    char *out = resolved(text);
    assert_string_equal(out, expected);
    free(out);
}

TEST_WITH(paths_are_relative_to_the_configuration, make_folder, remove_folder)
{
    comes_to("{\"model\":\"there.pte\",\"output_root\":\"out\"}",
             "{\"model\":\"sub/there.pte\",\"output_root\":\"sub/out\"}");
    comes_to("{\"model\":[\"there.pte\",\"none.pte\"],\"inputs\":[\"a.bin\"]}",
             "{\"model\":[\"sub/there.pte\",\"sub/none.pte\"],\"inputs\":[\"sub/a.bin\"]}");
    comes_to("{\"experiments\":[{\"data_path\":\"w.ptd\",\"expected\":[\"e.bin\"]}]}",
             "{\"experiments\":[{\"data_path\":\"sub/w.ptd\",\"expected\":[\"sub/e.bin\"]}]}");
}

TEST_WITH(absolute_paths_and_files_of_the_working_directory_stay, make_folder, remove_folder)
{
    comes_to("{\"model\":\"here.pte\",\"data_path\":\"/w.ptd\"}",
             "{\"model\":\"here.pte\",\"data_path\":\"/w.ptd\"}");
    comes_to("{\"experiments\":[{\"runner_path\":\"runner\"}]}",
             "{\"experiments\":[{\"runner_path\":\"runner\"}]}");
    comes_to("{\"model\":3,\"inputs\":{},\"experiments\":[1,null]}",
             "{\"model\":3,\"inputs\":{},\"experiments\":[1,null]}");
}

TEST_WITH(a_configuration_in_the_working_directory_changes_nothing, make_folder, remove_folder)
{
    cJSON *document = cJSON_Parse("{\"model\":\"m.pte\"}");
    assert_int_equal(sl_plan_paths_resolve(document, "c.json"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(document, "model")),
                        "m.pte");
    cJSON_Delete(document);
}
