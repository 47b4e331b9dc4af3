/* agent/runtime/step_places_typed.h: places in a step, for the elements that the including file
 * names. */
#define SL_AT(member) SL_STEP_AT(SL_PART.member)
#define SL_PLACES(part, in, weights, to)                                                           \
    {.a = SL_AT(part.args.in),                                                                     \
     .b = SL_AT(part.args.weights),                                                                \
     .out = SL_AT(part.args.to),                                                                   \
     .workspace = SL_AT(part.args.workspace),                                                      \
     .min = SL_AT(part.args.min),                                                                  \
     .max = SL_AT(part.args.max)}
