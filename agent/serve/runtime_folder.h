/* agent/serve/runtime_folder.h: another runtime's program and libraries under their own names, in a
 * job's folder.
 *
 * They came as blobs, named by their content; a dynamic program finds its libraries by name. The
 * first of the job's list is the loader, the second the program. */
#pragma once

#include <stddef.h>

typedef struct Sme2lab__Proto__Job Sme2lab__Proto__Job;
struct sl_job_dir;

enum { SL_RUNTIME_FOLDER_FILES = 32 };

/* Makes <job's folder>/runtime; nothing for a job without a list. Each file is a link to its blob,
 * or a copy where there are no links. -EINVAL for a list that is none: names that lead elsewhere,
 * no digests, fewer than two. -errno. */
int sl_runtime_folder_make(const char *workdir, const Sme2lab__Proto__Job *job,
                           const struct sl_job_dir *dir);
