/* host/cli/kernel_draw.h: random shapes of what kernels compute. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_random;

/* Whether layers of the family are drawn; a product is drawn for no name. */
bool sl_kernel_draw_knows(const char *family);

/* One such layer, without its type: "FAMILY:SHAPE". `type` as of --type, NULL is f32: what it has
 * no kernels of is not drawn. */
void sl_kernel_draw_layer(struct sl_random *random, const char *family, const char *type, char *out,
                          size_t size);

/* A product, "MxNxK"; K is whole groups where the type has any. */
void sl_kernel_draw_product(struct sl_random *random, const char *type, char *out, size_t size);
