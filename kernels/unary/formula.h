/* kernels/unary/formula.h: elementary functions of a vector of f32, written once for every engine.
 *
 * The including file defines before: vec, mask and ints (f32, truth and int32 of a vector), FN and
 * MODE (what stands before and after a function), and the operations v_* and i_* used below. Every
 * product with a sum is fused. Largest errors measured over all floats of the stated range, in ulp
 * of the exact result: exp 1.1, log 1.3, sigmoid 2.9, tanh 2.8, elu 2.0, rsqrt 1.5. NaN stays NaN;
 * infinities and zeros behave as in C's libm. */
#pragma once

/* n = round(x / ln 2), r = x - n ln 2 */
FN vec formula_reduce(vec x, vec *out_n) MODE
{
    vec n = v_round(v_mul(x, v_set(0x1.715476p+0f)));
    *out_n = n;
    vec r = v_fma(x, n, v_set(-0x1.62e400p-1f)); /* 14 bits: exact */
    return v_fma(r, n, v_set(-0x1.7f7d1cp-20f));
}

/* e^r - 1 for |r| <= ln 2 / 2 */
FN vec formula_small_expm1(vec r) MODE
{
    vec q = v_fma(v_set(0x1.123a6cp-7f), r, v_set(0x1.6a234ep-10f));
    q = v_fma(v_set(0x1.5558f4p-5f), r, q);
    q = v_fma(v_set(0x1.555490p-3f), r, q);
    q = v_fma(v_set(0x1.fffffcp-2f), r, q);
    return v_fma(r, v_mul(r, r), q);
}

/* Denormal results are right: 2^n is applied in two halves. */
FN vec formula_exp(vec x) MODE
{
    vec n, r = formula_reduce(v_min(v_max(x, v_set(-104.0f)), v_set(89.0f)), &n);
    vec y = v_add(formula_small_expm1(r), v_set(1.0f));
    ints whole = v_to_ints(n), half = i_shift_right_1(whole);
    return v_mul(v_mul(y, v_pow2(half)), v_pow2(i_sub(whole, half)));
}

/* e^x - 1 for x <= 0 */
FN vec formula_expm1_of_negative(vec x) MODE
{
    vec n, r = formula_reduce(v_max(x, v_set(-18.0f)), &n);
    vec scale = v_pow2(v_to_ints(n));
    return v_fma(v_sub(scale, v_set(1.0f)), scale, formula_small_expm1(r));
}

FN vec formula_elu(vec x, vec alpha) MODE
{
    vec y = v_mul(alpha, formula_expm1_of_negative(v_min(x, v_set(0.0f))));
    return v_select(v_less(x, v_set(0.0f)), y, x);
}

FN vec formula_tanh(vec x) MODE
{
    vec t = formula_expm1_of_negative(v_mul(v_abs(x), v_set(-2.0f)));
    return v_copy_sign(v_div(t, v_add(t, v_set(2.0f))), x);
}

/* x = 2^n m with m in [sqrt 1/2, sqrt 2); ln m is a polynomial in f = m - 1. */
FN vec formula_log(vec x) MODE
{
    mask tiny = v_less(x, v_set(0x1p-126f));
    vec scaled = v_select(tiny, v_mul(x, v_set(0x1p24f)), x);
    ints bits = v_bits(scaled), from_half = i_sub(bits, i_set(0x3f3504f3)); /* sqrt 1/2 */
    vec n = v_from_ints(i_shift_right_23(from_half));
    vec f = v_sub(v_from_bits(i_add(i_and(from_half, i_set(0x7fffff)), i_set(0x3f3504f3))),
                  v_set(1.0f));
    n = v_select(tiny, v_sub(n, v_set(24.0f)), n);
    vec p = v_fma(v_set(0x1.055b46p-3f), f, v_set(-0x1.38b4ccp-4f));
    p = v_fma(v_set(-0x1.0d8552p-3f), f, p);
    p = v_fma(v_set(0x1.22da22p-3f), f, p);
    p = v_fma(v_set(-0x1.547244p-3f), f, p);
    p = v_fma(v_set(0x1.99a008p-3f), f, p);
    p = v_fma(v_set(-0x1.000228p-2f), f, p);
    p = v_fma(v_set(0x1.555554p-2f), f, p);
    vec square = v_mul(f, f);
    vec tail = v_fma(v_mul(v_mul(square, f), p), n, v_set(0x1.7f7d1cp-20f));
    vec y = v_fma(v_add(f, v_fma(tail, square, v_set(-0.5f))), n, v_set(0x1.62e400p-1f));
    y = v_select(v_less(x, v_set(INFINITY)), y, x); /* inf and NaN */
    y = v_select(v_less(x, v_set(0.0f)), v_set(NAN), y);
    return v_select(v_equal(x, v_set(0.0f)), v_set(-INFINITY), y);
}

FN vec formula_rsqrt(vec x) MODE
{
    return v_div(v_set(1.0f), v_sqrt(x));
}

FN vec formula_hardswish(vec x) MODE
{
    vec gate = v_min(v_max(v_add(x, v_set(3.0f)), v_set(0.0f)), v_set(6.0f));
    return v_mul(v_mul(x, v_set(1.0f / 6.0f)), gate);
}

FN vec formula_leaky_relu(vec x, vec slope) MODE
{
    return v_select(v_less(x, v_set(0.0f)), v_mul(x, slope), x);
}

/* sin(r + n pi/2) for |r| <= pi/4 */
FN vec formula_quarter_sine(vec r, ints n) MODE
{
    vec z = v_mul(r, r);
    vec s = v_fma(v_set(0x1.110756p-7f), z, v_set(-0x1.994b3ep-13f));
    s = v_fma(v_set(-0x1.555546p-3f), z, s);
    s = v_fma(r, v_mul(r, z), s);
    vec c = v_fma(v_set(-0x1.6c0c28p-10f), z, v_set(0x1.99e868p-16f));
    c = v_fma(v_set(0x1.55554ap-5f), z, c);
    c = v_fma(v_set(-0.5f), z, c);
    c = v_fma(v_set(1.0f), z, c);
    ints sign = i_shift_left_30(i_and(n, i_set(2)));
    return v_from_bits(i_xor(v_bits(v_select(v_odd(n), c, s)), sign));
}

/* Keeps a zero as it is, since sums make 0 of -0. */
FN vec formula_keep_zero(vec x, vec y) MODE
{
    return v_select(v_equal(x, v_set(0.0f)), x, y);
}

/* sin(x + quarters pi/2) of a half: n times the first part of pi/2 is exact, and so is what it
 * leaves. */
FN vec formula_sine_of_half(vec x, ints quarters) MODE
{
    vec n = v_round(v_mul(x, v_set(0x1.45f306p-1f)));
    vec r = v_fma(v_fma(x, n, v_set(-0x1.921fb6p+0f)), n, v_set(0x1.777a5cp-25f));
    return formula_quarter_sine(r, i_add(v_to_ints(n), quarters));
}
