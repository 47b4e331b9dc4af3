/* agent/runtime/step_axis_element_typed.h: along what pooling and binary operators may be cut
 * (step_split.h), for the elements that the including file names. */

static bool axis_pool(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct SL_OF(sl_pool, _args) *a = &step->SL_PART.pool.args;
    const struct sl_axis_window window =
        SL_AXIS_WINDOW(a, &a->in, a->channels, &a->out, a->channels,
                       a->channels * a->kernel_h * a->kernel_w * SL_WORK_TAP);
    (void)crew;
    return sl_axis_of_window(&window, out);
}

static bool axis_binary(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct SL_OF(sl_binary, _args) *a = &step->SL_PART.binary.args;
    const struct sl_axis_binary binary = SL_AXIS_BINARY(&step->SL_PART.binary.plan, a);
    (void)crew;
    sl_axis_of_binary(&binary, out);
    return true;
}
