/* host/spec/schema.h: the parameters as JSON Schema: configs/experiment.schema.json, and the
 * properties of Submission in proto/openapi.yaml. Both are files of the repository; the test of
 * this module says whether they are up to date, and writes them. */
#pragma once

struct sl_buf;

/* Appends the schema of a configuration, compact. 0, SL_E_LIMIT or -ENOMEM. */
int sl_schema_put(struct sl_buf *out);

/* Appends the properties of a job's body as YAML, a line each, eight spaces in. */
int sl_schema_put_body(struct sl_buf *out);
