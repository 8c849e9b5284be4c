// The gamma function's logarithm, its derivatives, and Hurwitz' zeta function.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/special.h"

namespace agog::special {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Bernoulli numbers B2, B4, ...
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,      -1.0 / 30,
                                 5.0 / 66,      -691.0 / 2730,   7.0 / 6,       -3617.0 / 510,
                                 43867.0 / 798, -174611.0 / 330, 854513.0 / 138};

// log x - 1/(2x) - sum B2k / (2k x^2k), for x >= 10
double digamma_asymptotic(double x) {
  const double z = 1 / (x * x);
  double sum = 0;
  for (int k = 8; k >= 1; --k) sum = (sum + kBernoulli[k - 1] / (2 * k)) * z;
  return std::log(x) - 0.5 / x - sum;
}

// Near its zero digamma is the difference of larger numbers: a Taylor series there keeps the
// digits.
constexpr double kZero = 1.4616321449683622, kZeroRest = 9.549995429965697e-17;
constexpr int kZeroTerms = 24;
double digamma_near_zero(double x) {
  static const auto coefficients = [] {
    std::array<double, kZeroTerms> c;
    for (int n = 1; n <= kZeroTerms; ++n) c[n - 1] = (n % 2 ? 1 : -1) * zeta(n + 1, kZero);
    return c;
  }();
  const double d = (x - kZero) - kZeroRest;
  double sum = 0;
  for (int n = kZeroTerms; n-- > 0;) sum = sum * d + coefficients[n];
  return sum * d;
}

// By Euler and Maclaurin: the sum over k >= 0 of (w + k)^-x for large w.
double zeta_tail(double x, double w) {
  double sum = std::pow(w, 1 - x) / (x - 1) + 0.5 * std::pow(w, -x);
  double factor = x * std::pow(w, -x - 1);  // x (x+1) ... (x+2j-2) w^(-x-2j+1)
  double factorial = 2;                     // (2j)!
  for (int j = 1; j <= 11; ++j) {
    const double term = kBernoulli[j - 1] / factorial * factor;
    sum += term;
    if (std::abs(term) < std::abs(sum) * 1e-17) break;
    factor *= (x + 2 * j - 1) * (x + 2 * j) / (w * w);
    factorial *= (2 * j + 1) * (2 * j + 2);
  }
  return sum;
}

}  // namespace

double lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) return kNan;  // a pole; -infinity, too
    // psi(1 - x) - pi / tan(pi x), with the whole part of x taken off first
    const double fraction = x - std::round(x);
    const double tangent = std::tan(std::numbers::pi * fraction);
    return digamma(1 - x) - std::numbers::pi / tangent;
  }
  if (std::abs(x - kZero) < 0.25) return digamma_near_zero(x);
  double sum = 0;
  while (x < 10) {
    sum += 1 / x;
    x += 1;
  }
  return digamma_asymptotic(x) - sum;
}

double zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan;
  if (x == 1) return kInf;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (x != std::floor(x)) return kNan;  // powers of negative numbers
  }
  if (q == kInf) return 0;
  double sum = 0;
  if (q < -1e7) return kNan;  // not in reasonable time
  // The series of zeta_tail wants q above x; the larger x, the sooner the terms vanish.
  for (int n = 0; q < 10 + x || n < 1; ++n, q += 1) {
    const double term = std::pow(q, -x);
    sum += term;
    if (q > 0 && term <= std::abs(sum) * 1e-17) return sum;
  }
  return sum + zeta_tail(x, q);
}

double polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n)) return kNan;
  if (n == 0) return digamma(x);
  const double value = std::exp(lgamma(n + 1)) * zeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -value : value;
}

}  // namespace agog::special
