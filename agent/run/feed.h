/* agent/run/feed.h: the inputs of each execution: the bundle's, those of --inputs, or ones. */
#pragma once

struct sl_session;

/* Sets the inputs of the next execution. Returns 0, or a negative code after it logged why. */
int sl_feed_inputs(struct sl_session *session);
