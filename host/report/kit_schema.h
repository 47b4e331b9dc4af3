/* host/report/kit_schema.h: what every column and key of the kit's files means, as JSON. */
#pragma once

struct sl_buf;

/* One object: file ending, then column, then a sentence. `unit` is enum sl_trace_unit. */
int sl_kit_schema(struct sl_buf *out, int unit);
