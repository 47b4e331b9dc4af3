/* host/report/perfetto.h: an analysis as a trace that the Perfetto UI opens: its packets, written
 * without generated code. */
#pragma once

struct sl_analysis;
struct sl_buf;

/* Appends the packets: a track of the runtime's events, one of the delegates' (whose stamps are
 * laid end to end and may stick out of their calls), one on which each run's categories stand one
 * after the other, and a counter for each category, for end to end and for each reading of the
 * device. Events that cross others go to further tracks, so that slices nest on each. Stamps are
 * the file's own: nanoseconds, or executed instructions, as the tracks' names say. Returns 0,
 * SL_E_LIMIT or -ENOMEM. */
int sl_perfetto_trace(struct sl_buf *out, const struct sl_analysis *analysis);
