/* host/report/element_type.h: which types of elements a run computed on. */
#pragma once

#include <stddef.h>

struct sl_attribution;

/* The types that convolutions and products spent at least 5 % of their cost on, the costliest
 * first: "int8 (dynamic), f32". Names of operators tell them, else their kernels; empty where
 * neither does. `size` of at least 64. */
void sl_element_types(const struct sl_attribution *attribution, char *out, size_t size);
