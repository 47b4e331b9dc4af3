/* host/rundir/rundir.h: a directory that `sme2lab run` made, read back. Everything in it
 * is checked: it may come from anybody. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/agreement.h"
#include "host/analysis/conditions.h"

struct cJSON;
struct sl_stopping_rule;
struct sl_diag;

enum {
    SL_RUNDIR_PATH_BYTES = 1024,
    SL_RUNDIR_LEVELS = 2,
    SL_RUNDIR_MAX_EXPERIMENTS = 64,
    SL_RUNDIR_NAME_BYTES = 96,
};

extern const char *const sl_rundir_levels[SL_RUNDIR_LEVELS]; /* of SME2: "off", "on" */

/* Whose outputs were compared, the second being the reference. */
enum {
    SL_ON_VS_OFF,
    SL_OFF_VS_PORTABLE,
    SL_ON_VS_PORTABLE,
    SL_OFF_VS_EXPECTED, /* these where the run was told what to expect */
    SL_ON_VS_EXPECTED,
    SL_RUNDIR_AGREEMENTS
};
extern const char *const sl_rundir_agreement_names[SL_RUNDIR_AGREEMENTS]; /* "on_vs_off" ... */

struct sl_rundir {
    char path[SL_RUNDIR_PATH_BYTES];
    char
        suffix[SL_RUNDIR_NAME_BYTES + 1]; /* of manifest, summary and report: "" or "_EXPERIMENT" */
    struct cJSON *manifest;
    struct cJSON *summary; /* NULL: the directory has none */
    /* How the outputs agreed when the run was made, as the summary says. */
    struct sl_agreement agreements[SL_RUNDIR_AGREEMENTS];
    bool has_agreement[SL_RUNDIR_AGREEMENTS];
};

/* The experiments of a directory, by name; the name is "" for one that has the directory to itself.
 * None is SL_E_NOT_FOUND; also the directory's -errno. */
int sl_rundir_list(const char *path, char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES],
                   size_t *out_count, struct sl_diag *diag);

/* Reads the manifest of the only experiment, or of the one of that name. Returns 0 or a negative
 * code with `diag` set: no directory, no run in it, several and `experiment` NULL. End with
 * sl_rundir_close(). */
int sl_rundir_open(const char *path, const char *experiment, struct sl_rundir *out,
                   struct sl_diag *diag);
void sl_rundir_close(struct sl_rundir *directory);

/* Looks in the directory of an ETDump and the one above for the run that has it, by its hash, and
 * for which variant it is of: 0 off, 1 on. False if there is none. */
bool sl_rundir_find(const char *etdump_path, const char *sha256, struct sl_rundir *out,
                    int *out_level);

/* Member `results` of a variant ("off", "on"); NULL if it is not there. */
const struct cJSON *sl_rundir_result(const struct sl_rundir *directory, int level);

/* The path of a file that the manifest names relative to the directory; a name that leads out of it
 * is SL_E_FORMAT. */
int sl_rundir_file(const struct sl_rundir *directory, const char *name,
                   char out[SL_RUNDIR_PATH_BYTES], struct sl_diag *diag);

/* A variant's run, from the manifest. */
void sl_rundir_conditions(const struct sl_rundir *directory, int level, struct sl_conditions *out);

/* The rule that ended the run's measuring, but for whether its budget was spent, which the trace
 * tells; false: there was none. */
bool sl_rundir_rule(const struct sl_rundir *directory, struct sl_stopping_rule *out);

/* The temperatures that the device told before the run; how many of them there are. */
struct sl_analysis_reading;
size_t sl_rundir_readings(const struct sl_rundir *directory, struct sl_analysis_reading *out,
                          size_t room);

/* Was the CPU an emulated one? *out_times: and are the figures times of it, which mean nothing? */
bool sl_rundir_emulated(const struct sl_rundir *directory, bool *out_times);

/* How the outputs of one pair agreed, or of the pair that agreed worst (SL_RUNDIR_WORST); false if
 * that is not known. */
enum { SL_RUNDIR_WORST = -1 };
bool sl_rundir_agreement(const struct sl_rundir *directory, int pair, struct sl_agreement *out);
