// Makes elementwise kernels out of lane-wise lambdas: unary<types>(f), binary<types>(f),
// compare<types>(f).
//
// float and double go through Vec<T>, and a tail runs the same vector code on padded lanes, so
// f(x)[i] never depends on where i falls. Half types are converted in tiles and use the float loop,
// rounding once. Other types are plain loops, which the compiler vectorises.
#pragma once

#include <algorithm>
#include <utility>

#include "core/dtype.h"
#include "kernels/copy.h"
#include "kernels/vec.h"
#include "op/op_def.h"

namespace agog {

template <class T>
inline constexpr bool kVectorised = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool kHalfType = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

struct NoAttrs {};

// f(args..., attrs) where the lambda wants attrs, f(args...) where it does not.
template <class A, class F, class... V>
auto call_lane(F f, const void* attrs, V... v) {
  if constexpr (std::is_same_v<A, NoAttrs>) {
    return f(v...);
  } else {
    return f(v..., *static_cast<const A*>(attrs));
  }
}

template <class T>
Vec<T> load_some(const T* from, int64_t n) {
  alignas(64) T lanes[Vec<T>::width];
  for (int64_t i = 0; i < Vec<T>::width; ++i) lanes[i] = from[i < n ? i : n - 1];
  return Vec<T>::load(lanes);
}
template <class T>
void store_some(Vec<T> v, T* to, int64_t n) {
  alignas(64) T lanes[Vec<T>::width];
  v.store(lanes);
  for (int64_t i = 0; i < n; ++i) to[i] = lanes[i];
}

template <class T, class F, class A>
void unary_loop(const LoopArgs& args) {
  const T* x = static_cast<const T*>(args.in[0]);
  T* y = static_cast<T*>(args.out);
  const int64_t n = args.n;
  F f{};
  if constexpr (kVectorised<T>) {
    constexpr int W = Vec<T>::width;
    int64_t i = 0;
    for (; i + W <= n; i += W) {
      Vec<T>(call_lane<A>(f, args.attrs, Vec<T>::load(x + i))).store(y + i);
    }
    if (i < n) {
      store_some<T>(call_lane<A>(f, args.attrs, load_some(x + i, n - i)), y + i, n - i);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(call_lane<A>(f, args.attrs, x[i]));
  }
}

// SA, SB: the step of each input, known at compile time.
template <class T, class F, class A, int SA, int SB>
void binary_steps(const LoopArgs& args) {
  const T* a = static_cast<const T*>(args.in[0]);
  const T* b = static_cast<const T*>(args.in[1]);
  T* y = static_cast<T*>(args.out);
  const int64_t n = args.n;
  F f{};
  if constexpr (kVectorised<T>) {
    constexpr int W = Vec<T>::width;
    int64_t i = 0;
    for (; i + W <= n; i += W) {
      const Vec<T> va = SA ? Vec<T>::load(a + i) : Vec<T>(*a);
      const Vec<T> vb = SB ? Vec<T>::load(b + i) : Vec<T>(*b);
      Vec<T>(call_lane<A>(f, args.attrs, va, vb)).store(y + i);
    }
    if (i < n) {
      const Vec<T> va = SA ? load_some(a + i, n - i) : Vec<T>(*a);
      const Vec<T> vb = SB ? load_some(b + i, n - i) : Vec<T>(*b);
      store_some<T>(call_lane<A>(f, args.attrs, va, vb), y + i, n - i);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<T>(call_lane<A>(f, args.attrs, a[i * SA], b[i * SB]));
    }
  }
}

template <class T, class F, class A>
void binary_loop(const LoopArgs& args) {
  if (args.step[0] && args.step[1]) {
    binary_steps<T, F, A, 1, 1>(args);
  } else if (args.step[0]) {
    binary_steps<T, F, A, 1, 0>(args);
  } else if (args.step[1]) {
    binary_steps<T, F, A, 0, 1>(args);
  } else {
    LoopArgs one = args;
    one.n = 1;
    binary_steps<T, F, A, 1, 1>(one);
    T* y = static_cast<T*>(args.out);
    for (int64_t i = 1; i < args.n; ++i) y[i] = y[0];
  }
}

template <class T, class F>
void ternary_loop(const LoopArgs& args) {
  const T* a = static_cast<const T*>(args.in[0]);
  const T* b = static_cast<const T*>(args.in[1]);
  const T* c = static_cast<const T*>(args.in[2]);
  const int* s = args.step;
  T* y = static_cast<T*>(args.out);
  F f{};
  if constexpr (kVectorised<T>) {
    constexpr int W = Vec<T>::width;
    auto load = [](const T* from, int step, int64_t i, int64_t left) {
      if (step == 0) return Vec<T>(*from);
      return left < W ? load_some(from + i, left) : Vec<T>::load(from + i);
    };
    for (int64_t i = 0; i < args.n; i += W) {
      const int64_t left = args.n - i;
      const Vec<T> v = f(load(a, s[0], i, left), load(b, s[1], i, left), load(c, s[2], i, left));
      if (left < W) {
        store_some(v, y + i, left);
      } else {
        v.store(y + i);
      }
    }
  } else {
    for (int64_t i = 0; i < args.n; ++i) y[i] = f(a[i * s[0]], b[i * s[1]], c[i * s[2]]);
  }
}

// Binary loops for integers that can meet a forbidden value: f(a, b, trouble).
template <class T, class F>
void checked_loop(const LoopArgs& args) {
  const T* a = static_cast<const T*>(args.in[0]);
  const T* b = static_cast<const T*>(args.in[1]);
  T* y = static_cast<T*>(args.out);
  int trouble = 0;
  F f{};
  for (int64_t i = 0; i < args.n; ++i) {
    y[i] = static_cast<T>(f(a[i * args.step[0]], b[i * args.step[1]], trouble));
  }
  if (trouble) __atomic_store_n(args.trouble, trouble, __ATOMIC_RELAXED);
}

template <class T, class F, class A>
void compare_loop(const LoopArgs& args) {
  const T* a = static_cast<const T*>(args.in[0]);
  const T* b = static_cast<const T*>(args.in[1]);
  bool* y = static_cast<bool*>(args.out);
  const int64_t n = args.n;
  F f{};
  if (args.step[0] && args.step[1]) {
    for (int64_t i = 0; i < n; ++i) y[i] = call_lane<A>(f, args.attrs, a[i], b[i]);
  } else if (args.step[0]) {
    const T vb = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = call_lane<A>(f, args.attrs, a[i], vb);
  } else if (args.step[1]) {
    const T va = *a;
    for (int64_t i = 0; i < n; ++i) y[i] = call_lane<A>(f, args.attrs, va, b[i]);
  } else {
    const bool v = call_lane<A>(f, args.attrs, *a, *b);
    for (int64_t i = 0; i < n; ++i) y[i] = v;
  }
}

// f(b, a)
template <class T, class F>
void compare_loop_swapped(const LoopArgs& args) {
  LoopArgs swapped = args;
  std::swap(swapped.in[0], swapped.in[1]);
  std::swap(swapped.step[0], swapped.step[1]);
  compare_loop<T, F, NoAttrs>(swapped);
}

template <class T, class F>
void test_loop(const LoopArgs& args) {
  const T* x = static_cast<const T*>(args.in[0]);
  bool* y = static_cast<bool*>(args.out);
  F f{};
  for (int64_t i = 0; i < args.n; ++i) y[i] = f(x[i]);
}

// y = f(x) of f's own type, over plain numbers.
template <class T, class F>
void unary_to_loop(const LoopArgs& args) {
  F f{};
  const T* x = static_cast<const T*>(args.in[0]);
  auto* y = static_cast<decltype(f(*x))*>(args.out);
  for (int64_t i = 0; i < args.n; ++i) y[i] = f(x[i]);
}

template <class T, class F>
void binary_to_loop(const LoopArgs& args) {
  F f{};
  const T* a = static_cast<const T*>(args.in[0]);
  const T* b = static_cast<const T*>(args.in[1]);
  auto* y = static_cast<decltype(f(*a, *b))*>(args.out);
  for (int64_t i = 0; i < args.n; ++i) y[i] = f(a[i * args.step[0]], b[i * args.step[1]]);
}

// y = where a ? b : c, by the size of an element only.
template <class T>
void select_loop(const LoopArgs& args) {
  const bool* condition = static_cast<const bool*>(args.in[0]);
  const T* a = static_cast<const T*>(args.in[1]);
  const T* b = static_cast<const T*>(args.in[2]);
  T* y = static_cast<T*>(args.out);
  const int64_t n = args.n;
  if (args.step[0] == 0) {
    const T* from = *condition ? a : b;
    const int step = args.step[*condition ? 1 : 2];
    for (int64_t i = 0; i < n; ++i) y[i] = from[i * step];
  } else if (args.step[1] && args.step[2]) {
    for (int64_t i = 0; i < n; ++i) y[i] = condition[i] ? a[i] : b[i];
  } else if (args.step[1]) {
    const T vb = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = condition[i] ? a[i] : vb;
  } else if (args.step[2]) {
    const T va = *a;
    for (int64_t i = 0; i < n; ++i) y[i] = condition[i] ? va : b[i];
  } else {
    const T va = *a, vb = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = condition[i] ? va : vb;
  }
}

// Runs the float loop on tiles of a half type. R is what the loop writes: float (rounded to H) or
// bool.
template <class H, Loop inner, int arity, class R>
void half_loop(const LoopArgs& args) {
  constexpr int64_t kTile = 256;
  alignas(64) float in[arity][kTile];
  alignas(64) R out[kTile];
  for (int64_t begin = 0; begin < args.n; begin += kTile) {
    const int64_t n = std::min(kTile, args.n - begin);
    LoopArgs tile = args;
    for (int k = 0; k < arity; ++k) {
      const H* x = static_cast<const H*>(args.in[k]) + begin * args.step[k];
      const int64_t count = args.step[k] ? n : 1;
      for (int64_t i = 0; i < count; ++i) in[k][i] = static_cast<float>(x[i]);
      tile.in[k] = in[k];
    }
    tile.n = n;
    if constexpr (std::is_same_v<R, bool>) {
      tile.out = static_cast<bool*>(args.out) + begin;
      inner(tile);
    } else {
      tile.out = out;
      inner(tile);
      H* y = static_cast<H*>(args.out) + begin;
      for (int64_t i = 0; i < n; ++i) y[i] = H(out[i]);
    }
  }
}

namespace detail {

template <class F>
void for_each_plain_type(F&& f) {
  [&]<class... T>(Type<T>...) { (f(Type<T>{}), ...); }(
      Type<bool>{}, Type<uint8_t>{}, Type<uint16_t>{}, Type<uint32_t>{}, Type<uint64_t>{},
      Type<int8_t>{}, Type<int16_t>{}, Type<int32_t>{}, Type<int64_t>{}, Type<Half>{},
      Type<BFloat16>{}, Type<float>{}, Type<double>{}, Type<complex64>{}, Type<complex128>{});
}

}  // namespace detail

// Kernel with LoopOf<T> for every type of the set; half types through the float loop.
template <TypeSet S, int arity, class R, class MakeLoop>
Kernel map_kernel(MakeLoop, int cost) {
  Kernel k;
  k.kind = Kernel::kMap;
  k.arity = arity;
  k.cost = cost;
  detail::for_each_plain_type([&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(S, dtype_of<T>)) {
      if constexpr (kHalfType<T>) {
        constexpr Loop inner = MakeLoop::template loop<float>();
        k.loops[code(dtype_of<T>)] = half_loop<T, inner, arity, R>;
      } else {
        k.loops[code(dtype_of<T>)] = MakeLoop::template loop<T>();
      }
    }
  });
  return k;
}

template <class F, class A>
struct MakeUnary {
  template <class T>
  static constexpr Loop loop() {
    return unary_loop<T, F, A>;
  }
};
template <class F, class A>
struct MakeBinary {
  template <class T>
  static constexpr Loop loop() {
    return binary_loop<T, F, A>;
  }
};
template <class F>
struct MakeChecked {
  template <class T>
  static constexpr Loop loop() {
    return checked_loop<T, F>;
  }
};
template <class F, class A>
struct MakeCompare {
  template <class T>
  static constexpr Loop loop() {
    return compare_loop<T, F, A>;
  }
};
template <class F>
struct MakeCompareSwapped {
  template <class T>
  static constexpr Loop loop() {
    return compare_loop_swapped<T, F>;
  }
};
template <class F>
struct MakeTest {
  template <class T>
  static constexpr Loop loop() {
    return test_loop<T, F>;
  }
};

template <class F>
struct MakeTernary {
  template <class T>
  static constexpr Loop loop() {
    return ternary_loop<T, F>;
  }
};
template <class F>
struct MakeUnaryTo {
  template <class T>
  static constexpr Loop loop() {
    return unary_to_loop<T, F>;
  }
};
template <class F>
struct MakeBinaryTo {
  template <class T>
  static constexpr Loop loop() {
    return binary_to_loop<T, F>;
  }
};

// y = f(x), of x's dtype. A names the attrs struct that f takes as its last argument.
template <TypeSet S, class A = NoAttrs, class F>
Kernel unary(F, int cost = 1) {
  return map_kernel<S, 1, float>(MakeUnary<F, A>{}, cost);
}

// y = f(a, b), all of one dtype.
template <TypeSet S, class A = NoAttrs, class F>
Kernel binary(F, int cost = 1) {
  return map_kernel<S, 2, float>(MakeBinary<F, A>{}, cost);
}

// The loops of unsigned integers for the signed ones of `set`, too.
inline Kernel serving_signed(Kernel k, TypeSet set) {
  const Kernel loops = k;
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    k.loops[d] = contains(set, dtype) ? loops.loops[code(unsigned_type(dtype))] : nullptr;
  }
  return k;
}

// For functions that give the same bits for signed and unsigned integers.
template <TypeSet S, class F>
Kernel wrapping_unary(F f, int cost = 1) {
  return serving_signed(unary<as_unsigned(S)>(f, cost), S);
}
template <TypeSet S, class F>
Kernel wrapping_binary(F f, int cost = 1) {
  return serving_signed(binary<as_unsigned(S)>(f, cost), S);
}

// y = f(a, b, c), all of one dtype.
template <TypeSet S, class F>
Kernel ternary(F, int cost = 1) {
  return map_kernel<S, 3, float>(MakeTernary<F>{}, cost);
}

// y = f(a, b, trouble) for integers; `text` is the error when f sets trouble.
template <TypeSet S, class F>
Kernel checked_binary(F, const char* text, int cost = 4) {
  Kernel k = map_kernel<S, 2, float>(MakeChecked<F>{}, cost);
  k.trouble = text;
  return k;
}

// bool y = f(a, b), always over plain numbers.
template <TypeSet S, class A = NoAttrs, class F>
Kernel compare(F) {
  return map_kernel<S, 2, bool>(MakeCompare<F, A>{}, 1);
}

template <TypeSet S, class F>
Kernel compare_swapped(F) {
  return map_kernel<S, 2, bool>(MakeCompareSwapped<F>{}, 1);
}
template <TypeSet S, class F>
Kernel wrapping_compare(F f) {
  return serving_signed(compare<as_unsigned(S)>(f), S);
}

// bool y = f(x), over plain numbers.
template <TypeSet S, class F>
Kernel test(F) {
  return map_kernel<S, 1, bool>(MakeTest<F>{}, 1);
}

// y = f(x) or f(a, b), of the type that f returns.
template <TypeSet S, class F>
Kernel unary_to(F, int cost = 1) {
  static_assert(!(S & kHalfTypes), "half types are converted in tiles");
  return map_kernel<S, 1, float>(MakeUnaryTo<F>{}, cost);
}
template <TypeSet S, class F>
Kernel binary_to(F, int cost = 1) {
  static_assert(!(S & kHalfTypes), "half types are converted in tiles");
  return map_kernel<S, 2, float>(MakeBinaryTo<F>{}, cost);
}

// y = where a ? b : c, for every dtype: only the size of an element counts.
template <TypeSet S>
Kernel select_kernel() {
  Kernel k;
  k.kind = Kernel::kMap;
  k.arity = 3;
  k.decides = 1;
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (!contains(S, dtype)) continue;
    switch (size_of(dtype)) {
      case 1: k.loops[d] = select_loop<uint8_t>; break;
      case 2: k.loops[d] = select_loop<uint16_t>; break;
      case 4: k.loops[d] = select_loop<uint32_t>; break;
      case 8: k.loops[d] = select_loop<uint64_t>; break;
      default: k.loops[d] = select_loop<Bytes16>;
    }
  }
  return k;
}

// The loops of two kernels in one: for ops that need different code for different dtypes.
inline Kernel merge(Kernel a, const Kernel& b) {
  for (int d = 0; d < kNumDTypes; ++d) {
    if (b.loops[d]) a.loops[d] = b.loops[d];
  }
  if (b.trouble) a.trouble = b.trouble;
  return a;
}

}  // namespace agog
