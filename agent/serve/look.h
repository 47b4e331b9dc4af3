/* agent/serve/look.h: reads how the device is off the loop, and gives up when a job comes. */
#pragma once

#include <stdbool.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_health;
struct sl_look;

/* `done` comes once, from the loop, with what sl_health_read() has, borrowed for the call, or
 * NULL after sl_look_stop(); the look is over then. `root` is borrowed until then. -ENOMEM, -errno:
 * it does not come. */
int sl_look_start(uv_loop_t *loop, const char *root,
                  void (*done)(void *user, const struct sl_health *now), void *user,
                  struct sl_look **out);

/* Its programs are killed within a tenth of a second. */
void sl_look_stop(struct sl_look *look);
