/* host/cli/watch_lab.h: `sme2lab watch --lab`: what happens to all jobs and devices. */
#pragma once

#include <stddef.h>

struct cJSON;
struct sl_cli;
struct sl_client;
struct sl_diag;

enum { SL_WATCH_LAB_BYTES = 512 };

/* "job 7  running on pixel", "device pixel  offline: ..."; "" for an event that gets no line. */
void sl_watch_lab_words(const char *type, const struct cJSON *data, char out[SL_WATCH_LAB_BYTES]);

/* A line an event, with --json the event itself, until it is interrupted. As sl_stream_follow(). */
int sl_watch_lab(const struct sl_cli *cli, struct sl_client *client, struct sl_diag *diag);
