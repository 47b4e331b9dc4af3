/* host/spec/plan_paths.h: the paths of a configuration, which are relative to its own folder. */
#pragma once

struct cJSON;

/* Puts the folder of the configuration `file` before each relative path in `document`, at its top
 * and in its experiments. A file that is there only seen from the working directory keeps its path,
 * as in configurations of Arm's kit. Returns 0 or -ENOMEM. */
int sl_plan_paths_resolve(struct cJSON *document, const char *file);
