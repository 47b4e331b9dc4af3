/* agent/runtime/step_resize_typed.h: bilinear resizing, for the elements that the including file
 * names. */
static bool axis_resize(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct SL_OF(sl_resize, _args) *a = &step->SL_PART.resize.args;
    size_t in = a->in_h * a->in_w * a->channels, to = a->out_h * a->out_w * a->channels;
    (void)crew;
    sl_axis_of_rows(&a->batch, a->out, to * sizeof(*a->in), (uint64_t)to * SL_WORK_FUNCTION, out);
    sl_axis_move(out, &a->in, in * sizeof(*a->in));
    sl_axis_move(out, &a->out, to * sizeof(*a->in));
    return true;
}

static void run_resize(const struct sl_step *step)
{
    step->SL_PART.resize.kernel->run(&step->SL_PART.resize.args);
}

void SL_OF(sl_step_resize, )(struct sl_step *step, uint32_t isa, const struct sl_resize_args *shape)
{
    const struct SL_OF(sl_resize, ) *kernel = SL_OF(sl_resize, _select)(isa);
    *step = (struct sl_step){.run = run_resize,
                             .axis = axis_resize,
                             .kernel = kernel->name,
                             .kind = SL_STEP_RESIZE,
                             .places = {.a = SL_STEP_AT(SL_PART.resize.args.in),
                                        .out = SL_STEP_AT(SL_PART.resize.args.out)},
                             .SL_PART.resize = {kernel,
                                                {.batch = shape->batch,
                                                 .in_h = shape->in_h,
                                                 .in_w = shape->in_w,
                                                 .out_h = shape->out_h,
                                                 .out_w = shape->out_w,
                                                 .channels = shape->channels,
                                                 .align_corners = shape->align_corners}}};
}
