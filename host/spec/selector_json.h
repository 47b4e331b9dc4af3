/* host/spec/selector_json.h: a selector written as an object:
 * {"soc": "tensor", "sme2": true, "svl": ">=256"} is soc=tensor,sme2=yes,svl>=256. */
#pragma once

struct cJSON;
struct sl_diag;

/* Puts the text of an object under "device" in its place; a device that is anything else is left
 * alone. Whether its conditions are any is said by who reads the text. Returns 0, SL_E_FORMAT with
 * `diag` (may be NULL) set, or -ENOMEM. */
int sl_selector_fold(struct cJSON *owner, struct sl_diag *diag);
