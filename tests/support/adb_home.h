/* tests/support/adb_home.h: a home folder of the test's own for adb's keys, in HOME. */
#pragma once

/* 0, or -1: it cannot be made. */
int sl_adb_home_make(void);
/* A path in it; overwritten by the next call. */
const char *sl_adb_home_path(const char *name);
/* With .android/adbkey, .android/adbkey.pub and farm.adb_key, and nothing else: -1. */
int sl_adb_home_remove(void);
