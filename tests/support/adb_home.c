/* tests/support/adb_home.c */
#include "tests/support/adb_home.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char home[64];

int sl_adb_home_make(void)
{
    snprintf(home, sizeof(home), "/tmp/sl-home-XXXXXX");
    return mkdtemp(home) && setenv("HOME", home, 1) == 0 ? 0 : -1;
}

const char *sl_adb_home_path(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", home, name);
    return path;
}

int sl_adb_home_remove(void)
{
    static const char *const files[] = {".android/adbkey", ".android/adbkey.pub", "farm.adb_key"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        unlink(sl_adb_home_path(files[i]));
    rmdir(sl_adb_home_path(".android"));
    return rmdir(home);
}
