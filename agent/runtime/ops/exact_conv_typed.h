/* agent/runtime/ops/exact_conv_typed.h: convolutions of SL_NUMBER, once for each. */

/* One output pixel: the sum over a window of the group's channels. */
static SL_NUMBER SL_TYPED(window)(const struct convolution *c, const SL_NUMBER *in,
                                  const SL_NUMBER *weight, ptrdiff_t top, ptrdiff_t left)
{
    SL_NUMBER sum = 0;
    for (size_t channel = 0; channel < c->group_in; channel++)
        for (size_t i = 0; i < c->kernel[0]; i++) {
            ptrdiff_t y = top + (ptrdiff_t)(i * c->dilation[0]);
            const SL_NUMBER *taps = weight + (channel * c->kernel[0] + i) * c->kernel[1];
            if (!is_inside(y, c->in[0]))
                continue;
            const SL_NUMBER *row = in + (channel * c->in[0] + (size_t)y) * c->in[1];
            for (size_t k = 0; k < c->kernel[1]; k++) {
                ptrdiff_t x = left + (ptrdiff_t)(k * c->dilation[1]);
                if (is_inside(x, c->in[1]))
                    sum += row[x] * taps[k];
            }
        }
    return sum;
}

/* One channel of the output from the channels of its group. */
static void SL_TYPED(plane)(const struct convolution *c, const SL_NUMBER *in,
                            const SL_NUMBER *weight, SL_NUMBER bias, SL_NUMBER *out)
{
    for (size_t y = 0; y < c->out[0]; y++)
        for (size_t x = 0; x < c->out[1]; x++)
            *out++ = SL_TYPED(window)(c, in, weight,
                                      (ptrdiff_t)(y * c->stride[0]) - (ptrdiff_t)c->padding[0],
                                      (ptrdiff_t)(x * c->stride[1]) - (ptrdiff_t)c->padding[1]) +
                     bias;
}

/* One input pixel times the kernel, added into one channel of the output. */
static void SL_TYPED(spread)(const struct convolution *c, SL_NUMBER value, const SL_NUMBER *taps,
                             ptrdiff_t top, ptrdiff_t left, SL_NUMBER *out)
{
    for (size_t i = 0; i < c->kernel[0]; i++) {
        ptrdiff_t y = top + (ptrdiff_t)(i * c->dilation[0]);
        if (!is_inside(y, c->out[0]))
            continue;
        for (size_t k = 0; k < c->kernel[1]; k++) {
            ptrdiff_t x = left + (ptrdiff_t)(k * c->dilation[1]);
            if (is_inside(x, c->out[1]))
                out[(size_t)y * c->out[1] + (size_t)x] += value * taps[i * c->kernel[1] + k];
        }
    }
}

/* The same as plane, transposed: the weights of the group's channels lie `apart`. */
static void SL_TYPED(transposed)(const struct convolution *c, const SL_NUMBER *in,
                                 const SL_NUMBER *weight, SL_NUMBER bias, SL_NUMBER *out)
{
    size_t area = c->in[0] * c->in[1], taps = c->kernel[0] * c->kernel[1];
    for (size_t i = 0; i < c->out[0] * c->out[1]; i++)
        out[i] = bias;
    for (size_t i = 0; i < area; i++)
        for (size_t channel = 0; channel < c->group_in; channel++)
            SL_TYPED(spread)(c, in[channel * area + i], weight + channel * c->group_out * taps,
                             (ptrdiff_t)(i / c->in[1] * c->stride[0]) - (ptrdiff_t)c->padding[0],
                             (ptrdiff_t)(i % c->in[1] * c->stride[1]) - (ptrdiff_t)c->padding[1],
                             out);
}

static void SL_TYPED(run)(struct sl_op_call *call)
{
    const struct convolution *c = call->state;
    const SL_NUMBER *in = sl_exact_read(call, &c->exact, IN);
    const SL_NUMBER *weight = sl_exact_read(call, &c->exact, WEIGHT);
    const SL_NUMBER *bias = sl_exact_read(call, &c->exact, BIAS);
    SL_NUMBER *out = sl_exact_array(call, &c->exact, OUT);
    size_t taps = c->kernel[0] * c->kernel[1], group = c->group_in * c->in[0] * c->in[1];
    for (size_t n = 0; n < c->batch * c->groups; n++, in += group)
        for (size_t k = 0; k < c->group_out; k++, out += c->out[0] * c->out[1]) {
            size_t g = n % c->groups, channel = g * c->group_out + k;
            SL_NUMBER plus = bias ? bias[channel] : 0;
            if (c->is_transposed)
                SL_TYPED(transposed)(c, in, weight + (g * c->group_in * c->group_out + k) * taps,
                                     plus, out);
            else
                SL_TYPED(plane)(c, in, weight + channel * c->group_in * taps, plus, out);
        }
    sl_exact_write(call, &c->exact, OUT);
}

#undef SL_NUMBER
#undef SL_TYPED
