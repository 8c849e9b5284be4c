// Random numbers whose distribution has parameters: gamma, Poisson, binomial.
//
// Gamma: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Poisson and
// binomial with large means: Hörmann's transformed rejection ("The transformed rejection method for
// generating Poisson random variables", 1993; "The generation of binomial random variates", 1993);
// with small ones: products of uniform numbers (Knuth) and waiting times (Devroye, "Non-uniform
// random variate generation", 1986, X.4). Every number has a stream of 256 Philox blocks of its
// own, so that it depends on nothing but its place.
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "kernels/accumulate.h"
#include "kernels/kernel.h"
#include "kernels/philox.h"
#include "kernels/random.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct PlainSeedAttrs {
  int64_t seed = 0, seed2 = 0;
};
struct PoissonAttrs {
  int64_t seed = 0, seed2 = 0;
  DType dtype = DType::kInt64;
};
struct StatelessPoissonAttrs {
  DType dtype = DType::kInvalid;
};
struct StatelessBinomialAttrs {
  DType dtype = DType::kInt64;
};

namespace {

constexpr uint64_t kBlocks = 256;  // of one number
constexpr TypeSet kGammaTypes = types(DType::kHalf, DType::kFloat, DType::kDouble);
constexpr TypeSet kCountTypes = kGammaTypes | kIndex;

// Uniform and normal doubles out of a stream.
class Draw {
 public:
  explicit Draw(const RandomStream& at) : words_(at) {}

  double uniform() {
    const uint32_t first = words_.next();
    return unit_double(first, words_.next());
  }
  // In (0, 1): for logarithms.
  double positive() { return std::max(uniform(), std::numeric_limits<double>::min()); }
  // By pairs, as Box and Muller make them.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(positive())), angle = 2 * M_PI * uniform();
    spare_ = radius * std::cos(angle);
    has_spare_ = true;
    return radius * std::sin(angle);
  }

 private:
  philox::Words words_;
  double spare_ = 0;
  bool has_spare_ = false;
};

double draw_gamma(Draw& draw, double alpha) {
  if (!(alpha > 0)) return alpha == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(alpha)) return alpha;
  // Below 1 by the next alpha and a power, as the paper says.
  const bool small = alpha < 1;
  const double d = (small ? alpha + 1 : alpha) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root, u = draw.positive();
    if (u >= 1 - 0.0331 * x * x * x * x && std::log(u) >= 0.5 * x * x + d * (1 - v + std::log(v))) {
      continue;
    }
    return small ? d * v * std::pow(draw.positive(), 1 / alpha) : d * v;
  }
}

double log_factorial(double k) {
  int sign;
  return lgamma_r(k + 1, &sign);
}

double draw_poisson(Draw& draw, double rate) {
  constexpr double kSmall = 10;
  if (!(rate >= 0) || std::isinf(rate)) return std::numeric_limits<double>::quiet_NaN();
  if (rate == 0) return 0;
  if (rate < kSmall) {
    const double limit = std::exp(-rate);
    double k = 0;
    for (double product = draw.uniform(); product > limit; product *= draw.uniform()) ++k;
    return k;
  }
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
  const double log_rate = std::log(rate);
  for (;;) {
    const double u = draw.uniform() - 0.5, v = draw.positive(), edge = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    const double height = std::log(v * inverse_alpha / (a / (edge * edge) + b));
    if (height <= -rate + k * log_rate - log_factorial(k)) return k;
  }
}

// Successes with p of at most one half and few of them: the waits between them are geometric.
double binomial_by_waits(Draw& draw, double count, double p) {
  const double log_failure = std::log1p(-p);
  double successes = 0;
  for (double trials = 0;; ++successes) {
    trials += std::floor(std::log(draw.positive()) / log_failure) + 1;
    if (trials > count) return successes;
  }
}

double binomial_by_rejection(Draw& draw, double count, double p) {
  const double spread = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double center = count * p + 0.5, squeeze = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * spread, mode = std::floor((count + 1) * p);
  const double log_odds = std::log(p / (1 - p));
  const double at_mode = log_factorial(mode) + log_factorial(count - mode);
  for (;;) {
    const double u = draw.uniform() - 0.5, v = draw.positive(), edge = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / edge + b) * u + center);
    if (k < 0 || k > count) continue;
    if (edge >= 0.07 && v <= squeeze) return k;
    const double height = std::log(v * alpha / (a / (edge * edge) + b));
    const double at_k = log_factorial(k) + log_factorial(count - k);
    if (height <= at_mode - at_k + (k - mode) * log_odds) return k;
  }
}

double draw_binomial(Draw& draw, double count, double p) {
  if (!(count >= 0) || !(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  count = std::floor(count);
  const bool flipped = p > 0.5;
  const double q = flipped ? 1 - p : p;
  double k = 0;
  if (q > 0) {
    k = count * q >= 10 ? binomial_by_rejection(draw, count, q) : binomial_by_waits(draw, count, q);
  }
  return flipped ? count - k : k;
}

// ---- over whole tensors

double number_at(const Tensor& t, int64_t i) {
  double v = 0;
  with_type_of<kCountTypes>(t.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (is_half<T>) {
      v = static_cast<float>(t.data<T>()[i]);
    } else {
      v = static_cast<double>(t.data<T>()[i]);
    }
  });
  return v;
}

template <class T>
T from_double(double v) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(v)) return -1;  // no count; as TensorFlow marks it in integers
    constexpr double kMost = static_cast<double>(std::numeric_limits<T>::max());
    return v >= kMost ? std::numeric_limits<T>::max() : static_cast<T>(v);
  } else if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(v));
  } else {
    return static_cast<T>(v);
  }
}

// `out` holds samples for each of `count` parameters, which vary fastest: each is sample(draw, j)
// for parameter j, and streams are counted parameter by parameter.
template <class F>
void fill_each(const RandomStream& stream, const Tensor& out, int64_t count, F&& sample) {
  const int64_t n = out.num_elements();
  if (n == 0) return;
  const int64_t samples = n / count;
  with_type_of<kCountTypes>(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    T* to = out.mutable_data<T>();
    parallel_for(n, 256, n * 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t j = i % count;
        RandomStream own = stream;
        own.skip(static_cast<uint64_t>(j * samples + i / count) * kBlocks);
        Draw draw(own);
        to[i] = from_double<T>(sample(draw, j));
      }
    });
  });
}

void fill_gamma(const RandomStream& stream, const Tensor& alpha, const Tensor& out) {
  const double smallest = out.dtype() == DType::kDouble ? std::numeric_limits<double>::min()
                                                        : std::numeric_limits<float>::min();
  // No sample is 0, whose logarithm and gradient are not finite.
  const double least = out.dtype() == DType::kHalf ? 6.103515625e-05 : smallest;
  fill_each(stream, out, alpha.num_elements(), [&](Draw& draw, int64_t j) {
    const double v = draw_gamma(draw, number_at(alpha, j));
    return v < least ? least : v;
  });
}

void fill_poisson(const RandomStream& stream, const Tensor& rate, const Tensor& out) {
  fill_each(stream, out, rate.num_elements(),
            [&](Draw& draw, int64_t j) { return draw_poisson(draw, number_at(rate, j)); });
}

RandomStream seeded(const OpCtx& c, int i) {
  const Tensor& seed = c.input(i);
  c.require(seed.rank() == 1 && seed.dim(0) == 2, "seed must have shape [2], got ", seed.shape());
  return philox::scramble(static_cast<uint64_t>(index_value(seed, 0)),
                          static_cast<uint64_t>(index_value(seed, 1)));
}

template <class A>
RandomStream reserved(const KernelCtx& c) {
  const auto& attrs = c.attrs<A>();
  const uint64_t types = static_cast<uint64_t>(code(c.dtype(1)) * 32 + code(c.out().dtype()));
  return reserve_random(c.op().def.name, types, attrs.seed, attrs.seed2,
                        static_cast<uint64_t>(c.out().num_elements()) * kBlocks);
}

// ---- rows

Shape vector_shape(ShapeCtx& c) {
  c.require(c.in(0).rank() == 1, "shape must be a vector, got shape ", c.in(0));
  return c.shape_input(0);
}

// `shape` samples of each parameter.
Shape shape_of_each(ShapeCtx& c) {
  if (!c.has_value(0)) return Shape::unknown_rank();
  Shape out = vector_shape(c);
  for (const int64_t d : c.in(1)) {
    if (out.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
    out.push_back(d);
  }
  return out;
}

// `shape` counts the parameters' own dimensions in.
Shape shape_ending(ShapeCtx& c, const Shape& parameters) {
  if (!c.has_value(0)) return Shape::unknown_rank();
  const Shape out = vector_shape(c);
  const int shift = out.rank() - parameters.rank();
  bool fits = shift >= 0;
  for (int d = 0; fits && d < parameters.rank(); ++d) fits = out[shift + d] == parameters[d];
  c.require(fits, "shape must end with the shape of the parameters, ", parameters, ", got ", out);
  return out;
}

Tensor to_double(Tensor t) { return ops::cast(std::move(t), DType::kDouble); }

// How a sample moves with alpha while its place in the distribution stays: minus the derivative of
// the distribution function by alpha over its density (Figurnov, Mohamed, Mnih: "Implicit
// reparameterization gradients", 2018).
Tensor gamma_slope(const Tensor& alpha, const Tensor& sample) {
  static const ops::Caller by_alpha{"IgammaGradA"}, lgamma{"Lgamma"}, log{"Log"}, exp{"Exp"};
  const Tensor a = to_double(alpha), y = to_double(sample);
  const Tensor one = ops::like(1, a);
  const Tensor density = exp((a - one) * log(y) - y - lgamma(a));
  return ops::cast(-(by_alpha(a, y) / density), sample.dtype());
}

void gamma_grad(GradCtx& g, int alpha) {
  if (!g.needs(alpha)) return;
  g.dx(alpha) = ops::sum_to(g.dy(0) * gamma_slope(g.x(alpha), g.y(0)), g.x_shape(alpha));
}

const InputDef kShapeInput{"shape", "S", kHost};
const TypeVar kShapeType{"S", kIndex, DType::kInt32};

OpDef stateless_gamma_row(const char* name, std::vector<InputDef> inputs,
                          std::vector<TypeVar> types, RandomStream (*stream)(const KernelCtx&)) {
  const int alpha = static_cast<int>(inputs.size()) - 1;
  return {.name = name,
          .inputs = std::move(inputs),
          .outputs = {{"output", "dtype"}},
          .types = std::move(types),
          .shape = [alpha](ShapeCtx& c) { return shape_ending(c, c.in(alpha)); },
          .kernel = general(
              [alpha, stream](KernelCtx& c) { fill_gamma(stream(c), c.in(alpha), c.out()); }, 64),
          .saves = {in(alpha), out(0)},
          .grad = [alpha](GradCtx& g) { gamma_grad(g, alpha); }};
}

RandomStream named_stream(const KernelCtx& c) {
  const Tensor &key = c.in(1), &counter = c.in(2), &alg = c.in(3);
  c.require(key.rank() == 1 && key.dim(0) == 1, "key must have shape [1], got ", key.shape());
  c.require(counter.rank() == 1 && counter.dim(0) >= 2,
            "counter must be a vector of at least 2 elements, got shape ", counter.shape());
  c.require(alg.rank() == 0, "alg must be a scalar, got shape ", alg.shape());
  const int32_t number = *alg.data<int32_t>();
  if (number != 1 && number != 3) {
    fail(ErrorCode::kUnimplemented, "alg must be 1 (Philox) or 3 (automatic), got ", number);
  }
  const auto* words = counter.data<uint64_t>();
  return {*key.data<uint64_t>(), words[0], words[1]};
}

OpRows gamma_rows() {
  using A = PlainSeedAttrs;
  const TypeVar dtype{"dtype", kGammaTypes, DType::kFloat};
  const TypeVar shape{"shape_dtype", kIndex, DType::kInt32};
  const TypeVar seed{"Tseed", kIndex, DType::kInt64};
  const InputDef wanted{"shape", "shape_dtype", kHost};
  return {
      {.name = "RandomGamma",
       .inputs = {kShapeInput, {"alpha", "T"}},
       .outputs = {{"output", "T"}},
       .types = {kShapeType, {"T", kGammaTypes, DType::kFloat}},
       .attrs = attrs_of<A>(field("seed", &A::seed), field("seed2", &A::seed2)),
       .stateful = true,
       .shape = shape_of_each,
       .kernel = general([](KernelCtx& c) { fill_gamma(reserved<A>(c), c.in(1), c.out()); }, 64),
       .saves = {in(1), out(0)},
       .grad = [](GradCtx& g) { gamma_grad(g, 1); }},
      stateless_gamma_row("StatelessRandomGammaV2",
                          {{"shape", "T", kHost}, {"seed", "Tseed"}, {"alpha", "dtype"}},
                          {{"T", kIndex, DType::kInt32}, seed, dtype},
                          [](const KernelCtx& c) { return seeded(c, 1); }),
      stateless_gamma_row(
          "StatelessRandomGammaV3",
          {wanted, {"key", "uint64"}, {"counter", "uint64"}, {"alg", "int32"}, {"alpha", "dtype"}},
          {shape, dtype}, named_stream),
  };
}

template <class A>
void require_count_type(const OpCtx& c) {
  const DType d = c.attrs<A>().dtype;
  c.require(contains(kCountTypes, d), "dtype ", d, " has no random numbers of this kind");
}

OpDef poisson_row() {
  using A = PoissonAttrs;
  return {
      .name = "RandomPoissonV2",
      .inputs = {kShapeInput, {"rate", "R"}},
      .outputs = {{"output", "dtype"}},
      .types = {kShapeType, {"R", kCountTypes, DType::kDouble}},
      .attrs = attrs_of<A>(field("seed", &A::seed), field("seed2", &A::seed2),
                           field("dtype", &A::dtype)),
      .stateful = true,
      .shape =
          [](ShapeCtx& c) {
            require_count_type<A>(c);
            return shape_of_each(c);
          },
      .kernel = general([](KernelCtx& c) { fill_poisson(reserved<A>(c), c.in(1), c.out()); }, 64),
      .grad = no_gradient()};
}

OpDef stateless_poisson_row() {
  using A = StatelessPoissonAttrs;
  return {.name = "StatelessRandomPoisson",
          .inputs = {{"shape", "T", kHost}, {"seed", "Tseed"}, {"lam", "Rtype"}},
          .outputs = {{"output", "dtype"}},
          .types = {{"T", kIndex, DType::kInt32},
                    {"Tseed", kIndex, DType::kInt64},
                    {"Rtype", kCountTypes}},
          .attrs = attrs_of<A>(field("dtype", &A::dtype)),
          .shape =
              [](ShapeCtx& c) {
                require_count_type<A>(c);
                return shape_ending(c, c.in(2));
              },
          .kernel = general([](KernelCtx& c) { fill_poisson(seeded(c, 1), c.in(2), c.out()); }, 64),
          .grad = no_gradient()};
}

OpDef stateless_binomial_row() {
  using A = StatelessBinomialAttrs;
  static const ops::Caller broadcast{"BroadcastTo"};
  return {
      .name = "StatelessRandomBinomial",
      .inputs = {{"shape", "S", kHost}, {"seed", "Tseed"}, {"counts", "T"}, {"probs", "T"}},
      .outputs = {{"output", "dtype"}},
      .types = {kShapeType, {"Tseed", kIndex, DType::kInt64}, {"T", kCountTypes, DType::kDouble}},
      .attrs = attrs_of<A>(field("dtype", &A::dtype)),
      .shape =
          [](ShapeCtx& c) {
            require_count_type<A>(c);
            return shape_ending(c, broadcast_shapes(c.in(2), c.in(3)));
          },
      .kernel = general(
          [](KernelCtx& c) {
            const Tensor wanted =
                ops::shape_tensor(broadcast_shapes(c.in(2).shape(), c.in(3).shape()));
            const Tensor counts = broadcast(c.in(2), wanted), p = broadcast(c.in(3), wanted);
            fill_each(seeded(c, 1), c.out(), counts.num_elements(), [&](Draw& draw, int64_t j) {
              return draw_binomial(draw, number_at(counts, j), number_at(p, j));
            });
          },
          64),
      .grad = no_gradient()};
}

}  // namespace

const Family distribution_ops([]() -> OpRows {
  OpRows rows = gamma_rows();
  for (OpDef& row : OpRows{poisson_row(), stateless_poisson_row(), stateless_binomial_row()}) {
    rows.push_back(std::move(row));
  }
  return rows;
});

}  // namespace agog
