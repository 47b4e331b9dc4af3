/* host/daemon/describer.h: asks devices of this machine what they are, off the loop and one after
 * the other, and tells the lab. Those behind a link say it themselves. On the loop's thread. */
#pragma once

typedef struct uv_loop_s uv_loop_t;
struct sl_describer;
struct sl_device;
struct sl_lab;
struct sl_probes;

/* `probes` and `lab` are borrowed. 0 or -ENOMEM. */
int sl_describer_new(uv_loop_t *loop, struct sl_probes *probes, struct sl_lab *lab,
                     struct sl_describer **out);

/* Asks `device` (copied), which the lab has as `name`. One that does not answer is in the log. 0
 * or -ENOMEM. */
int sl_describer_ask(struct sl_describer *describer, const char *name,
                     const struct sl_device *device);

/* Devices that still wait are not asked, and the one that is asked is interrupted; `closed` comes
 * last, from the loop or at once. */
void sl_describer_close(struct sl_describer *describer, void (*closed)(void *user), void *user);
