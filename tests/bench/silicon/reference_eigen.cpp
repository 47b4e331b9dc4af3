/* tests/bench/silicon/reference_eigen.cpp: reference_eigen M N K: C += AB of f32 by Eigen, column
 * major, between roi_begin() and roi_end(). */
#include <cstdlib>

#include <Eigen/Core>

extern "C" {
__attribute__((noinline, used)) void roi_begin(void)
{
    __asm__ volatile("");
}
__attribute__((noinline, used)) void roi_end(void)
{
    __asm__ volatile("");
}
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long m = std::atol(argv[1]), n = std::atol(argv[2]), k = std::atol(argv[3]);
    Eigen::MatrixXf a = Eigen::MatrixXf::Zero(m, k), b = Eigen::MatrixXf::Zero(k, n),
                    c = Eigen::MatrixXf::Zero(m, n);
    c.noalias() += a * b; /* what is done once is done: sizes of caches are looked up */
    roi_begin();
    c.noalias() += a * b;
    roi_end();
    return c(0, 0) != 0;
}
