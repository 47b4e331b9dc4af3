/* host/report/silicon_file.h: reads a silicon profile, configs/silicon/NAME.json. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"

struct sl_diag;
struct sl_figure_description;
struct sl_silicon;

enum { SL_SILICON_MAX_BYTES = 256 << 10, SL_SILICON_NAME_BYTES = 48 };

/* A profile that `kernels bench --peaks` kept is named by this and the device's fingerprint. */
#define SL_SILICON_MEASURED "measured-"
#define SL_SILICON_FILE "silicon.json" /* among the files of a device */

#define SL_SILICON_LEAST_GB_PER_S 0.01
#define SL_SILICON_MOST_GB_PER_S 1e5

/* Parses {"schema":"sme2lab.silicon/1","name","title","figures":[{"name","value","unit",
 * "confidence","source"}],"memory":[{"side","bytes"?,"value","unit","waits"?,"confidence","source"}]}.
 * A figure that is absent, unknown, double, of another unit or out of its range is SL_E_FORMAT with
 * its JSON pointer in `diag`. `file` is for messages. Also SL_E_LIMIT and -ENOMEM. */
int sl_silicon_parse(struct sl_bytes json, const char *file, struct sl_silicon *out,
                     struct sl_diag *diag);

/* The unit and range of the figure, cycle or latency of this name; false: there is none. */
bool sl_silicon_describe(const char *name, struct sl_figure_description *out);

/* The text of a built-in profile. 0, or SL_E_NOT_FOUND with `diag` set. */
int sl_silicon_source(const char *name, struct sl_bytes *out, struct sl_diag *diag);

/* `name` is of a profile built into the program, "measured-FINGERPRINT" of one in the state
 * directory, or the path of a file where it has a '/' or ends in ".json". Also SL_E_NOT_FOUND and
 * the file's -errno. */
int sl_silicon_load(const char *name, struct sl_silicon *out, struct sl_diag *diag);

/* Takes the next of names with commas between them; *names begins as all of them, NULL as the
 * default ones. False behind the last. */
bool sl_silicon_next_name(const char **names, char out[SL_SILICON_NAME_BYTES]);

/* Checks that each of `names` is a profile, built in or measured here, and no path: 0, or
 * SL_E_NOT_FOUND with `diag` set. */
int sl_silicon_check_names(const char *names, struct sl_diag *diag);

/* The names of the built-in profiles in order; NULL behind the last. */
const char *sl_silicon_built_in(size_t index);
