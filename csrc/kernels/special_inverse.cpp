// Inverses of the error function and of the normal distribution; Bessel functions.
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/special.h"

namespace agog::special {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSqrtTwoPi = 2.506628274631000502;
constexpr double kSlope = 2 * std::numbers::inv_sqrtpi;  // of erf at 0

// The y >= 0 with erf(y) = x for x in [0, 1/2]: Newton's method, improved by the curvature
// (Halley).
double erfinv_small(double x) {
  double y = x / kSlope * (1 + 0.2618 * x * x);
  for (int step = 0; step < 3; ++step) {
    const double newton = (std::erf(y) - x) / (kSlope * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return y;
}

// The same for c so small that erfc(y) is subnormal and short of digits: Newton's method on the
// logarithm of the asymptotic series.
double erfcinv_tiny(double c) {
  const double log_c = std::log(c);
  double y = std::sqrt(-log_c);
  for (int step = 0; step < 8; ++step) {
    const double z = 1 / (2 * y * y);
    const double series = 1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z)));
    const double value = -y * y - std::log(y / std::numbers::inv_sqrtpi) + std::log(series);
    y += (value - log_c) / (2 * y + 1 / y);
  }
  return y;
}

// The y with erfc(y) = c for c in (0, 1/2]: Newton's method on the logarithm, which is nearly a
// parabola.
double erfcinv_small(double c) {
  if (c < 1e-300) return erfcinv_tiny(c);
  const double log_c = std::log(c);
  const double t = std::sqrt(-2 * (log_c - std::numbers::ln2));
  // A rough start; each step doubles the digits.
  double y =
      std::max(0.4, (t - (2.3 + 0.27 * t) / (1 + 0.99 * t + 0.045 * t * t)) / std::numbers::sqrt2);
  for (int step = 0; step < 5; ++step) {
    const double value = std::erfc(y);
    if (value == 0) return y;
    // From the ratio near the solution, where the difference of logarithms would lose digits.
    const double ratio = (value - c) / c;
    const double error = std::abs(ratio) < 0.5 ? std::log1p(ratio) : std::log(value) - log_c;
    const double change = error * value / (kSlope * std::exp(-y * y));
    y += change;
    if (std::abs(change) < 1e-17 * y) break;
  }
  return y;
}

// The sum over k of (x / 2)^2k / (k! (k + order)!)
double bessel_series(double x, int order) {
  const double z = x * x / 4;
  double term = 1, sum = 1;
  for (int k = 1; k < 500 && term > sum * 1e-17; ++k) {
    term *= z / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sum;
}
// sqrt(2 pi x) e^-x I(x), for large x
double bessel_asymptotic(double x, int order) {
  const double mu = 4.0 * order * order;
  double term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) {
    const double odd = 2 * k - 1;
    const double next = -term * (mu - odd * odd) / (k * 8 * x);
    if (std::abs(next) < 1e-17 * sum || std::abs(next) > std::abs(term)) break;
    term = next;
    sum += term;
  }
  return sum;
}
constexpr double kBesselLarge = 25;

}  // namespace

double erfinv(double x) {
  const double a = std::abs(x);
  if (!(a <= 1)) return kNan;
  if (a == 1) return std::copysign(kInf, x);
  if (a < 1e-8) return x / kSlope;
  return std::copysign(a <= 0.5 ? erfinv_small(a) : erfcinv_small(1 - a), x);
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  if (p >= 0.25 && p <= 0.75) return std::numbers::sqrt2 * erfinv(2 * p - 1);
  const double y = std::numbers::sqrt2 * erfcinv_small(p < 0.5 ? 2 * p : 2 * (1 - p));
  return p < 0.5 ? -y : y;
}

double bessel_i0e(double x) {
  const double a = std::abs(x);
  if (a < kBesselLarge) return std::exp(-a) * bessel_series(a, 0);
  return bessel_asymptotic(a, 0) / (kSqrtTwoPi * std::sqrt(a));
}
double bessel_i1e(double x) {
  const double a = std::abs(x);
  const double y = a < kBesselLarge ? std::exp(-a) * bessel_series(a, 1) * (a / 2)
                                    : bessel_asymptotic(a, 1) / (kSqrtTwoPi * std::sqrt(a));
  return std::copysign(y, x);
}

}  // namespace agog::special
