/* host/cli/kernel_shape_list.h: the shapes that `kernels bench` measures by itself, as the agent
 * takes them. */
#pragma once

#include <stddef.h>

/* Where there are goals: the shapes that other libraries were counted on, and one of each kind. */
extern const char *const sl_kernel_goal_shapes[];
extern const size_t sl_kernel_goal_shape_count;

/* Goals of kernels that are not the first of their list for the shape: single rows on the layout of
 * many, products by SDOT. */
struct sl_kernel_named_goal {
    const char *kernel, *shape;
};
extern const struct sl_kernel_named_goal sl_kernel_named_goals[];
extern const size_t sl_kernel_named_goal_count;

/* Where there are none: what a family's name alone shows behind its goals. */
extern const char *const sl_kernel_other_shapes[];
extern const size_t sl_kernel_other_shape_count;
