// Incomplete gamma and beta functions.
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/special.h"

namespace agog::special {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;
constexpr int kMostSteps = 100000;

// A number and its slope in one variable.
struct Dual {
  double v, d = 0;
  Dual(double value, double slope = 0) : v(value), d(slope) {}  // NOLINT: numbers mix with duals
  friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
  friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
};
double value_of(double x) { return x; }
double value_of(Dual x) { return x.v; }
bool is_settled(double factor) { return std::abs(factor - 1) < kEps; }
bool is_settled(Dual f) { return std::abs(f.v - 1) < kEps && std::abs(f.d) < kEps; }

// log(1 + t) - t, for |t| < 1/2
double log1p_minus(double t) {
  // 2 atanh(s) with s = t / (2 + t), less t: no large terms cancel
  const double s = t / (2 + t), z = s * s;
  double sum = 0, power = s * z;
  for (int k = 3; k < 60 && std::abs(power) > 1e-18 * std::abs(sum); k += 2, power *= z) {
    sum += power / k;
  }
  return 2 * sum - s * t;
}

// log Gamma(a + 1) - (a log a - a + log sqrt(2 pi a)), for a >= 10
double stirling_rest(double a) {
  const double z = 1 / (a * a);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
}

// x^a e^-x / Gamma(a + 1). Powers rather than exponentials of logarithms, wherever they stay in
// range: those lose as many digits as the exponent has.
double gamma_density(double a, double x) {
  if (a < 10) return std::pow(x, a) * std::exp(-x) / std::tgamma(a + 1);
  const double root = std::sqrt(2 * std::numbers::pi * a), rest = stirling_rest(a);
  const double t = (x - a) / a;
  if (std::abs(t) < 0.3) return std::exp(a * log1p_minus(t) - rest) / root;
  const double log_power = a * std::log(x / a);
  if (std::abs(log_power) < 600 && std::abs(a - x) < 600) {
    return std::pow(x / a, a) * std::exp(a - x) * std::exp(-rest) / root;
  }
  return std::exp(log_power + a - x - rest) / root;
}

// The sum over n of x^n / ((a + 1) ... (a + n)); for Dual a with its slope.
template <class Number>
Number gamma_series(Number a, double x) {
  Number sum = 1, term = 1;
  for (int n = 1; n < kMostSteps; ++n) {
    term = term * Number(x) / (a + Number(n));
    sum = sum + term;
    if (value_of(term) < value_of(sum) * kEps * 0.1 && n > 8) break;
  }
  return sum;
}

// Legendre's continued fraction of Gamma(a, x) e^x x^-a, after Lentz.
template <class Number>
Number gamma_fraction(Number a, double x) {
  Number b = Number(x + 1) - a;
  Number c = Number(1 / kTiny);
  Number d = Number(1) / b;
  Number h = d;
  for (int i = 1; i < kMostSteps; ++i) {
    const Number an = Number(-i) * (Number(i) - a);
    b = b + Number(2);
    d = an * d + b;
    if (std::abs(value_of(d)) < kTiny) d = Number(kTiny);
    c = b + an / c;
    if (std::abs(value_of(c)) < kTiny) c = Number(kTiny);
    d = Number(1) / d;
    const Number factor = d * c;
    h = h * factor;
    if (is_settled(factor)) break;
  }
  return h;
}

bool use_series(double a, double x) { return x < 1 || x < a + 1; }

// Lower (or upper) function for ordinary arguments.
double incomplete_gamma(double a, double x, bool lower) {
  if (lower && a == 0 && x == 0) return 0;  // as TensorFlow has it
  if (std::isnan(a) || std::isnan(x) || x < 0 || a <= 0) return kNan;
  if (a == kInf) return x == kInf ? kNan : lower ? 0 : 1;
  if (x == 0) return lower ? 0 : 1;
  if (x == kInf) return lower ? 1 : 0;
  const double density = gamma_density(a, x);
  if (use_series(a, x)) {
    const double p = density == 0 ? 0 : density * gamma_series(a, x);
    return lower ? p : 1 - p;
  }
  const double q = density == 0 ? 0 : density * a * gamma_fraction(a, x);
  return lower ? 1 - q : q;
}

// x^a (1 - x)^b / B(a, b)
double beta_density(double a, double b, double x) {
  const double y = 1 - x;
  if (a + b < 170 && (a > 1e-3 || b > 1e-3)) {
    const double gammas = std::tgamma(a + b) / std::tgamma(a) / std::tgamma(b);
    return gammas * std::pow(x, a) * (x < 0.5 ? std::exp(b * std::log1p(-x)) : std::pow(y, b));
  }
  if (a >= 10 && b >= 10) {
    const double sum = a + b;
    const double rest = stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);
    return std::sqrt(a * b / (2 * std::numbers::pi * sum)) * std::exp(rest) *
           std::pow(x * sum / a, a) * std::pow(y * sum / b, b);
  }
  return std::exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * std::log(x) + b * std::log1p(-x));
}

// The continued fraction of the incomplete beta function, after Lentz.
double beta_fraction(double a, double b, double x) {
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (std::abs(d) < kTiny) d = kTiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m < kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double an : {even, odd}) {
      d = 1 + an * d;
      if (std::abs(d) < kTiny) d = kTiny;
      c = 1 + an / c;
      if (std::abs(c) < kTiny) c = kTiny;
      d = 1 / d;
      factor = d * c;
      h *= factor;
    }
    if (is_settled(factor)) break;
  }
  return h;
}

}  // namespace

double igamma(double a, double x) { return incomplete_gamma(a, x, true); }
double igammac(double a, double x) { return incomplete_gamma(a, x, false); }

double igamma_grad_a(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || x < 0 || a <= 0) return kNan;
  if (x == 0 || x == kInf || a == kInf) return 0;
  const double density = gamma_density(a, x);
  if (density == 0) return 0;
  if (use_series(a, x)) {
    const double log_slope = std::log(x) - digamma(a + 1);
    const Dual sum = gamma_series(Dual(a, 1), x);
    return density * (sum.v * log_slope + sum.d);
  }
  const double log_slope = std::log(x) - digamma(a);
  const Dual fraction = gamma_fraction(Dual(a, 1), x);
  return -density * a * (fraction.v * log_slope + fraction.d);
}

double betainc(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return kNan;
  if (x == 0) return 0;
  if (x == 1) return 1;
  if (a == kInf || b == kInf) return a == b ? kNan : a == kInf ? 0 : 1;
  const double front = beta_density(a, b, x);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace agog::special
