// Random numbers. Bits, conversions and orders are TensorFlow's, so that equal seeds give equal
// numbers.
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/gather.h"
#include "kernels/kernel.h"
#include "kernels/philox.h"
#include "kernels/random.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"
#include "runtime/variable.h"

namespace agog {

struct StatelessAttrs {
  DType dtype = DType::kFloat;
};
struct StatelessIntAttrs {
  DType dtype = DType::kUInt64;
};
struct StatefulAttrs {
  DType dtype = DType::kInvalid;
  int64_t seed = 0, seed2 = 0;
};
struct SeedAttrs {
  int64_t seed = 0, seed2 = 0;
};
struct MultinomialAttrs {
  int64_t seed = 0, seed2 = 0;
  DType output_dtype = DType::kInt64;
};
struct StatelessMultinomialAttrs {
  DType output_dtype = DType::kInt64;
};

namespace {

// Stateful ops move their counter on by so many blocks for each number, whatever they use.
constexpr uint64_t kBlocksPerNumber = 256;
constexpr TypeSet kRandomInts = kIndex | types(DType::kUInt32, DType::kUInt64);

using Fill = void (*)(const RandomStream&, void*, DType, int64_t);

void require_dtype(const OpCtx& c, DType d, TypeSet allowed, const char* what) {
  c.require(contains(allowed, d), what, " ", d, " has no random numbers of this kind");
}

Shape wanted_shape(ShapeCtx& c) {
  if (!c.has_value(0)) return Shape::unknown_rank();
  c.require(c.in(0).rank() == 1, "shape must be a vector, got shape ", c.in(0));
  return c.shape_input(0);
}

// The stream that key, counter and algorithm, inputs `first` to `first` + 2, name.
RandomStream stream_of(const OpCtx& c, int first) {
  const Tensor &key = c.input(first), &counter = c.input(first + 1), &alg = c.input(first + 2);
  c.require(alg.rank() == 0, "alg must be a scalar, got shape ", alg.shape());
  c.require(key.rank() == 1 && key.dim(0) == 1, "key must have shape [1], got ", key.shape());
  c.require(counter.rank() == 1 && counter.dim(0) >= 2,
            "counter must be a vector of at least 2 elements, got shape ", counter.shape());
  const int32_t number = *alg.data<int32_t>();
  if (number != 1 && number != 3) {
    fail(ErrorCode::kUnimplemented, "alg must be 1 (Philox) or 3 (automatic), got ", number);
  }
  const auto* words = counter.data<uint64_t>();
  return {*key.data<uint64_t>(), words[0], words[1]};
}

RandomStream stream_of_seed(const OpCtx& c, int i) {
  const Tensor& seed = c.input(i);
  c.require(seed.rank() == 1 && seed.dim(0) == 2, "seed must have shape [2], got ", seed.shape());
  auto word = [&](int64_t k) { return static_cast<uint64_t>(index_value(seed, k)); };
  return philox::scramble(word(0), word(1));
}

uint64_t type_key(const OpCtx& c, DType out) {
  uint64_t key = static_cast<uint64_t>(code(out));
  for (int i = 0; i < c.num_inputs(); ++i) key = key * 32 + static_cast<uint64_t>(code(c.dtype(i)));
  return key;
}

template <class A>
RandomStream reserve(const KernelCtx& c, uint64_t blocks) {
  const auto& attrs = c.attrs<A>();
  return reserve_random(c.op().def.name, type_key(c, c.out().dtype()), attrs.seed, attrs.seed2,
                        blocks);
}

void fill_with(const KernelCtx& c, Fill fill, const RandomStream& stream) {
  const Tensor& out = c.out();
  fill(stream, out.mutable_raw(), out.dtype(), out.num_elements());
}

// Integers of [minval, maxval), which are inputs `first` and `first` + 1.
void fill_between(const KernelCtx& c, int first, const RandomStream& stream) {
  const int64_t low = index_value(c.in(first), 0), high = index_value(c.in(first + 1), 0);
  c.require(low < high, "minval must be less than maxval, got ", low, " and ", high);
  fill_uniform_int(stream, c.out().mutable_raw(), c.out().dtype(), c.out().num_elements(),
                   static_cast<uint64_t>(low),
                   static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
}

ShapeFn shape_between(int first) {
  return [first](ShapeCtx& c) {
    for (int i = first; i < first + 2; ++i) {
      c.require(c.in(i).rank() <= 0, c.input_name(i), " must be a scalar, got shape ", c.in(i));
    }
    return wanted_shape(c);
  };
}

template <class A>
ShapeFn shape_of_dtype(TypeSet allowed) {
  return [allowed](ShapeCtx& c) {
    require_dtype(c, c.attrs<A>().dtype, allowed, "dtype");
    return wanted_shape(c);
  };
}

const InputDef kShapeInput{"shape", "Tshape", kHost};
const TypeVar kShapeType{"Tshape", kIndex, DType::kInt32};
const TypeVar kSeedType{"Tseed", kIndex, DType::kInt64};

OpDef stateless_row(const char* name, Fill fill) {
  return {.name = name,
          .inputs = {kShapeInput, {"key", "uint64"}, {"counter", "uint64"}, {"alg", "int32"}},
          .outputs = {{"output", "dtype"}},
          .types = {kShapeType},
          .attrs = attrs_of<StatelessAttrs>(field("dtype", &StatelessAttrs::dtype)),
          .shape = shape_of_dtype<StatelessAttrs>(kFloating),
          .kernel = general([fill](KernelCtx& c) { fill_with(c, fill, stream_of(c, 1)); }, 16),
          .grad = no_gradient()};
}

OpDef stateless_v1_row(const char* name, Fill fill) {
  return {.name = name,
          .inputs = {kShapeInput, {"seed", "Tseed"}},
          .outputs = {{"output", "dtype"}},
          .types = {kShapeType, kSeedType},
          .attrs = attrs_of<StatelessAttrs>(field("dtype", &StatelessAttrs::dtype)),
          .shape = shape_of_dtype<StatelessAttrs>(kFloating),
          .kernel = general([fill](KernelCtx& c) { fill_with(c, fill, stream_of_seed(c, 1)); }, 16),
          .grad = no_gradient()};
}

OpDef stateful_row(const char* name, Fill fill) {
  using A = StatefulAttrs;
  return {.name = name,
          .inputs = {kShapeInput},
          .outputs = {{"output", "dtype"}},
          .types = {kShapeType},
          .attrs = attrs_of<A>(field("dtype", &A::dtype), field("seed", &A::seed),
                               field("seed2", &A::seed2)),
          .stateful = true,
          .shape = shape_of_dtype<A>(kFloating),
          .kernel = general(
              [fill](KernelCtx& c) {
                const auto n = static_cast<uint64_t>(c.out().num_elements());
                fill_with(c, fill, reserve<A>(c, n * kBlocksPerNumber));
              },
              16),
          .grad = no_gradient()};
}

OpRows float_rows() {
  return {stateless_row("StatelessRandomUniformV2", fill_uniform),
          stateless_row("StatelessRandomNormalV2", fill_normal),
          stateless_row("StatelessTruncatedNormalV2", fill_truncated_normal),
          stateless_v1_row("StatelessRandomUniform", fill_uniform),
          stateless_v1_row("StatelessRandomNormal", fill_normal),
          stateless_v1_row("StatelessTruncatedNormal", fill_truncated_normal),
          stateful_row("RandomUniform", fill_uniform),
          stateful_row("RandomStandardNormal", fill_normal),
          stateful_row("TruncatedNormal", fill_truncated_normal)};
}

void stateful_uniform_int(KernelCtx& c) {
  const auto n = static_cast<uint64_t>(c.out().num_elements());
  if (n > 0) fill_between(c, 1, reserve<SeedAttrs>(c, n * kBlocksPerNumber));
}

AttrsDef seed_attrs() {
  return attrs_of<SeedAttrs>(field("seed", &SeedAttrs::seed), field("seed2", &SeedAttrs::seed2));
}

OpRows int_rows() {
  const TypeVar t{"dtype", kIndex, DType::kInt32};
  const AttrsDef full = attrs_of<StatelessIntAttrs>(field("dtype", &StatelessIntAttrs::dtype));
  return {
      {.name = "StatelessRandomUniformIntV2",
       .inputs = {kShapeInput,
                  {"key", "uint64"},
                  {"counter", "uint64"},
                  {"alg", "int32"},
                  {"minval", "dtype"},
                  {"maxval", "dtype"}},
       .outputs = {{"output", "dtype"}},
       .types = {kShapeType, t},
       .shape = shape_between(4),
       .kernel = general(
           [](KernelCtx& c) {
             if (c.out().num_elements() > 0) fill_between(c, 4, stream_of(c, 1));
           },
           8),
       .grad = no_gradient()},
      {.name = "StatelessRandomUniformInt",
       .inputs = {kShapeInput, {"seed", "Tseed"}, {"minval", "dtype"}, {"maxval", "dtype"}},
       .outputs = {{"output", "dtype"}},
       .types = {kShapeType, kSeedType, t},
       .shape = shape_between(2),
       .kernel = general(
           [](KernelCtx& c) {
             if (c.out().num_elements() > 0) fill_between(c, 2, stream_of_seed(c, 1));
           },
           8),
       .grad = no_gradient()},
      {.name = "StatelessRandomUniformFullIntV2",
       .inputs = {kShapeInput, {"key", "uint64"}, {"counter", "uint64"}, {"alg", "int32"}},
       .outputs = {{"output", "dtype"}},
       .types = {kShapeType},
       .attrs = full,
       .shape = shape_of_dtype<StatelessIntAttrs>(kRandomInts),
       .kernel = general([](KernelCtx& c) { fill_with(c, fill_full_int, stream_of(c, 1)); }, 8),
       .grad = no_gradient()},
      {.name = "StatelessRandomUniformFullInt",
       .inputs = {kShapeInput, {"seed", "Tseed"}},
       .outputs = {{"output", "dtype"}},
       .types = {kShapeType, kSeedType},
       .attrs = full,
       .shape = shape_of_dtype<StatelessIntAttrs>(kRandomInts),
       .kernel =
           general([](KernelCtx& c) { fill_with(c, fill_full_int, stream_of_seed(c, 1)); }, 8),
       .grad = no_gradient()},
      {.name = "RandomUniformInt",
       .inputs = {kShapeInput, {"minval", "Tout"}, {"maxval", "Tout"}},
       .outputs = {{"output", "Tout"}},
       .types = {kShapeType, {"Tout", kIndex, DType::kInt32}},
       .attrs = seed_attrs(),
       .stateful = true,
       .shape = shape_between(1),
       .kernel = general(stateful_uniform_int, 8),
       .grad = no_gradient()},
  };
}

void key_counter(KernelCtx& c) {
  const RandomStream s = stream_of_seed(c, 0);
  *c.out(0).mutable_data<uint64_t>() = s.key;
  c.out(1).mutable_data<uint64_t>()[0] = s.low;
  c.out(1).mutable_data<uint64_t>()[1] = s.high;
  if (c.num_outputs() > 2) *c.out(2).mutable_data<int32_t>() = 1;
}

Shape key_counter_shape(ShapeCtx& c) {
  c.out(1, {2});
  c.out(2, {});
  return {1};
}

// Moves the counter of a generator's state on; gives the state as it was.
Tensor read_and_skip(const OpCtx& c, uint64_t delta) {
  Variable& v = variable_of(c.input(0));
  const VariableLock lock(v);
  Tensor& state = v.writable();
  c.require(state.dtype() == DType::kInt64 && state.rank() == 1 && state.dim(0) >= 3,
            "resource must hold a vector of at least 3 int64, got ", state.dtype(), " of shape ",
            state.shape());
  Tensor before = Tensor::empty(DType::kInt64, state.shape());
  std::memcpy(before.mutable_raw(), state.raw(), static_cast<size_t>(state.num_bytes()));
  auto* words = state.mutable_data<int64_t>();
  RandomStream s{0, static_cast<uint64_t>(words[0]), static_cast<uint64_t>(words[1])};
  s.skip(delta * kBlocksPerNumber);
  words[0] = static_cast<int64_t>(s.low);
  words[1] = static_cast<int64_t>(s.high);
  return before;
}

void require_philox(const OpCtx& c, const Tensor& alg) {
  c.require(alg.num_elements() == 1, c.input_name(1), " must be a scalar, got shape ", alg.shape());
  const int64_t number = index_value(alg, 0);
  if (number != 1 && number != 3) {
    fail(ErrorCode::kUnimplemented, c.input_name(1), " must be 1 (Philox) or 3 (automatic), got ",
         number);
  }
}

OpRows generator_rows() {
  return {
      {.name = "StatelessRandomGetKeyCounter",
       .inputs = {{"seed", "Tseed"}},
       .outputs = {{"key", "uint64"}, {"counter", "uint64"}},
       .types = {kSeedType},
       .shape = key_counter_shape,
       .kernel = general(key_counter),
       .grad = no_gradient()},
      {.name = "StatelessRandomGetKeyCounterAlg",
       .inputs = {{"seed", "Tseed"}},
       .outputs = {{"key", "uint64"}, {"counter", "uint64"}, {"alg", "int32"}},
       .types = {kSeedType},
       .shape = key_counter_shape,
       .kernel = general(key_counter),
       .grad = no_gradient()},
      {.name = "StatelessRandomGetAlg",
       .outputs = {{"alg", "int32"}},
       .shape = scalar(),
       .kernel = general([](KernelCtx& c) { *c.out().mutable_data<int32_t>() = 1; }),
       .grad = no_gradient()},
      {.name = "RngReadAndSkip",
       .inputs = {{"resource", "resource"}, {"alg", "int32"}, {"delta", "uint64"}},
       .outputs = {{"value", "int64"}},
       .stateful = true,
       .kernel = dynamic([](KernelCtx& c) {
         require_philox(c, c.in(1));
         c.require(c.in(2).rank() == 0, "delta must be a scalar, got shape ", c.in(2).shape());
         c.set_out(0, read_and_skip(c, *c.in(2).data<uint64_t>()));
       }),
       .grad = no_gradient()},
      {.name = "RngSkip",
       .inputs = {{"resource", "resource"}, {"algorithm", "int64"}, {"delta", "int64"}},
       .stateful = true,
       .kernel = dynamic([](KernelCtx& c) {
         require_philox(c, c.in(1));
         c.require(c.in(2).rank() == 0, "delta must be a scalar, got shape ", c.in(2).shape());
         read_and_skip(c, static_cast<uint64_t>(*c.in(2).data<int64_t>()));
       }),
       .grad = no_gradient()},
  };
}

// Swaps every row with one of those from it on.
void shuffle_rows(KernelCtx& c, const RandomStream& stream) {
  const Tensor& x = c.in(0);
  const int64_t n = x.dim(0);
  philox::Words words(stream);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t with = i + words.next() % static_cast<uint32_t>(n - i);
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(with)]);
  }
  Tensor y = Tensor::empty(x.dtype(), x.shape());
  if (y.num_elements() > 0) {
    UnlockScope unlocked(y.num_elements());
    gather_rows(x.raw(), ops::int_vector(order), y.mutable_raw(),
                {1, 1, n, n, x.num_elements() / n}, size_of(x.dtype()));
  }
  c.set_out(0, std::move(y));
}

void random_shuffle(KernelCtx& c) {
  const Tensor& x = c.in(0);
  if (x.rank() == 0 || x.dim(0) < 2) {
    c.set_out(0, x.alias());
    return;
  }
  c.require(x.dim(0) < int64_t{1} << 31, "value has too many rows to shuffle, ", x.dim(0));
  const auto& attrs = c.attrs<SeedAttrs>();
  const auto blocks = static_cast<uint64_t>((x.dim(0) + 2) / 4);
  shuffle_rows(
      c, reserve_random(c.op().def.name, type_key(c, x.dtype()), attrs.seed, attrs.seed2, blocks));
}

void stateless_shuffle(KernelCtx& c) {
  const Tensor& x = c.in(0);
  const RandomStream stream = stream_of(c, 1);
  c.require(x.rank() == 0 || x.dim(0) < int64_t{1} << 31, "value has too many rows to shuffle");
  if (x.rank() == 0 || x.dim(0) < 2) {
    c.set_out(0, x.alias());
  } else {
    shuffle_rows(c, stream);
  }
}

Shape multinomial_shape(ShapeCtx& c) {
  c.require(c.in(0).rank() == 2 || !c.in(0).has_rank(), "logits must be a matrix, got shape ",
            c.in(0));
  c.require(c.in(1).rank() <= 0, "num_samples must be a scalar, got shape ", c.in(1));
  if (!c.in(0).has_rank()) return {-1, -1};
  const int64_t n = c.has_value(1) ? c.scalar_int(1) : -1;
  c.require(n >= 0 || !c.has_value(1), "num_samples must not be negative, got ", n);
  c.require(c.in(0)[1] != 0, "logits must have at least one column, got shape ", c.in(0));
  c.require(c.in(0)[1] <= std::numeric_limits<int32_t>::max(), "logits has too many columns");
  return {c.in(0)[0], n};
}

// Running sums of the probabilities, not yet divided by their total. Logits that are not finite
// count as impossible.
template <class T>
void running_sums(const T* logits, std::vector<double>& sums) {
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  Number top = std::numeric_limits<Number>::lowest();
  for (size_t k = 0; k < sums.size(); ++k) {
    const auto v = static_cast<Number>(logits[k]);
    if (std::isfinite(v)) top = std::max(top, v);
  }
  double total = 0;
  for (size_t k = 0; k < sums.size(); ++k) {
    const auto v = static_cast<Number>(logits[k]);
    if (std::isfinite(v)) total += std::exp(static_cast<double>(v - top));
    sums[k] = total;
  }
}

template <class T>
void sample_rows(const KernelCtx& c, const RandomStream& stream) {
  const Tensor &logits = c.in(0), &out = c.out();
  const int64_t samples = out.dim(1);
  std::vector<double> sums(static_cast<size_t>(logits.dim(1)));
  philox::Words words(stream);
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    running_sums(logits.data<T>() + row * logits.dim(1), sums);
    for (int64_t s = 0; s < samples; ++s) {
      const uint32_t first = words.next();
      const double at = unit_double(first, words.next()) * sums.back();
      const int64_t k = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
      if (out.dtype() == DType::kInt64) {
        out.mutable_data<int64_t>()[row * samples + s] = k;
      } else {
        out.mutable_data<int32_t>()[row * samples + s] = static_cast<int32_t>(k);
      }
    }
  }
}

void sample(const KernelCtx& c, const RandomStream& stream) {
  with_type(c.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(kFloating, dtype_of<T>)) sample_rows<T>(c, stream);
  });
}

template <class A>
ShapeFn multinomial_of() {
  return [](ShapeCtx& c) {
    require_dtype(c, c.attrs<A>().output_dtype, kIndex, "output_dtype");
    return multinomial_shape(c);
  };
}

void multinomial(KernelCtx& c) {
  const Tensor& out = c.out();
  const auto samples = static_cast<uint64_t>((out.dim(1) + 3) / 4 * 4);
  const uint64_t blocks = 2 * static_cast<uint64_t>(out.dim(0)) * samples * kBlocksPerNumber;
  if (out.num_elements() > 0) sample(c, reserve<MultinomialAttrs>(c, blocks));
}

OpRows choice_rows() {
  using M = MultinomialAttrs;
  using S = StatelessMultinomialAttrs;
  const InputDef logits{"logits", "T"}, num_samples{"num_samples", "int32", kHost};
  return {
      {.name = "RandomShuffle",
       .inputs = {{"value", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}},
       .attrs = seed_attrs(),
       .stateful = true,
       .shape = same_as(0),
       .kernel = dynamic(random_shuffle),
       .grad = no_gradient()},
      {.name = "StatelessShuffle",
       .inputs = {{"value", "T"}, {"key", "uint64"}, {"counter", "uint64"}, {"alg", "int32"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}},
       .shape = same_as(0),
       .kernel = dynamic(stateless_shuffle),
       .grad = no_gradient()},
      {.name = "Multinomial",
       .inputs = {logits, num_samples},
       .outputs = {{"output", "output_dtype"}},
       .types = {{"T", kFloating}},
       .attrs = attrs_of<M>(field("seed", &M::seed), field("seed2", &M::seed2),
                            field("output_dtype", &M::output_dtype)),
       .stateful = true,
       .shape = multinomial_of<M>(),
       .kernel = general(multinomial, 32),
       .grad = no_gradient()},
      {.name = "StatelessMultinomial",
       .inputs = {logits, num_samples, {"seed", "Tseed"}},
       .outputs = {{"output", "output_dtype"}},
       .types = {{"T", kFloating}, kSeedType},
       .attrs = attrs_of<S>(field("output_dtype", &S::output_dtype)),
       .shape = multinomial_of<S>(),
       .kernel = general([](KernelCtx& c) { sample(c, stream_of_seed(c, 2)); }, 32),
       .grad = no_gradient()},
  };
}

}  // namespace

const Family random_ops([]() -> OpRows {
  return join_rows({float_rows(), int_rows(), generator_rows(), choice_rows()});
});

}  // namespace agog
