/* agent/runtime/step_f32.c: steps over single precision. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"
#include "kernels/cpu/isa.h"

#define SL_OF(before, after) before##after
#define SL_PART f32
#define SL_FLOAT float
#define SL_FLOAT_TYPE SL_STEP_F32
#include "agent/runtime/step_places_typed.h"

#include "agent/runtime/step_axis_element_typed.h"
#include "agent/runtime/step_axis_float_typed.h"
#include "agent/runtime/step_axis_weights_typed.h"
#include "agent/runtime/step_weights_typed.h"

#include "agent/runtime/step_batch_typed.h"
#include "agent/runtime/step_deconv_typed.h"
#include "agent/runtime/step_element_typed.h"
#include "agent/runtime/step_resize_typed.h"
