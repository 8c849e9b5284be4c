// Vec<T>: a register of floats or doubles, over Eigen's packets, so that one lane-wise lambda
// serves every CPU level.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace agog {

namespace ei = Eigen::internal;

template <class T>
struct Vec {
  using Packet = typename ei::packet_traits<T>::type;
  static constexpr int width = ei::unpacket_traits<Packet>::size;
  using Scalar = T;

  Packet p;

  Vec() = default;
  Vec(Packet packet) : p(packet) {}              // NOLINT: a register is a register
  Vec(T value) : p(ei::pset1<Packet>(value)) {}  // NOLINT: numbers mix with registers
  static Vec load(const T* from) { return ei::ploadu<Packet>(from); }
  void store(T* to) const { ei::pstoreu(to, p); }

  friend Vec operator+(Vec a, Vec b) { return ei::padd(a.p, b.p); }
  friend Vec operator-(Vec a, Vec b) { return ei::psub(a.p, b.p); }
  friend Vec operator*(Vec a, Vec b) { return ei::pmul(a.p, b.p); }
  friend Vec operator/(Vec a, Vec b) { return ei::pdiv(a.p, b.p); }
  friend Vec operator-(Vec a) { return ei::pnegate(a.p); }
};

// Lanes where a comparison held.
template <class T>
struct Mask {
  typename Vec<T>::Packet p;
  friend Mask operator&(Mask a, Mask b) { return {ei::pand(a.p, b.p)}; }
  friend Mask operator|(Mask a, Mask b) { return {ei::por(a.p, b.p)}; }
};

template <class T>
Mask<T> operator<(Vec<T> a, Vec<T> b) {
  return {ei::pcmp_lt(a.p, b.p)};
}
template <class T>
Mask<T> operator<=(Vec<T> a, Vec<T> b) {
  return {ei::pcmp_le(a.p, b.p)};
}
template <class T>
Mask<T> operator>(Vec<T> a, Vec<T> b) {
  return {ei::pcmp_lt(b.p, a.p)};
}
template <class T>
Mask<T> operator>=(Vec<T> a, Vec<T> b) {
  return {ei::pcmp_le(b.p, a.p)};
}
template <class T>
Mask<T> operator==(Vec<T> a, Vec<T> b) {
  return {ei::pcmp_eq(a.p, b.p)};
}
template <class T>
Mask<T> operator<(Vec<T> a, T b) {
  return a < Vec<T>(b);
}
template <class T>
Mask<T> operator<=(Vec<T> a, T b) {
  return a <= Vec<T>(b);
}
template <class T>
Mask<T> operator>(Vec<T> a, T b) {
  return a > Vec<T>(b);
}
template <class T>
Mask<T> operator>=(Vec<T> a, T b) {
  return a >= Vec<T>(b);
}
template <class T>
Mask<T> operator==(Vec<T> a, T b) {
  return a == Vec<T>(b);
}

// The bits of a register's lanes as unsigned integers, for work on exponents and signs.
template <class T>
struct BitsOf {
  using Lane = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  typedef Lane type __attribute__((vector_size(sizeof(typename Vec<T>::Packet))));
};
template <class T>
using Bits = typename BitsOf<T>::type;
template <class T>
Bits<T> bits(Vec<T> v) {
  return __builtin_bit_cast(Bits<T>, v.p);
}
template <class T>
Vec<T> from_bits(Bits<T> b) {
  return __builtin_bit_cast(typename Vec<T>::Packet, b);
}

// Whether a comparison held in some lane.
template <class T>
bool any(Mask<T> m) {
  uint64_t words[sizeof(m) / 8];
  __builtin_memcpy(words, &m, sizeof(m));
  uint64_t all = 0;
  for (uint64_t word : words) all |= word;
  return all != 0;
}

template <class V>
inline constexpr bool is_vec = false;
template <class T>
inline constexpr bool is_vec<Vec<T>> = true;

// The number type of a lane: T for Vec<T>, T itself for a plain number.
template <class V>
struct LaneOf {
  using type = V;
};
template <class T>
struct LaneOf<Vec<T>> {
  using type = T;
};
template <class V>
using Lane = typename LaneOf<V>::type;

// A function of numbers, lane by lane.
template <class T, class F>
Vec<T> lanes(Vec<T> v, F f) {
  alignas(64) T in[Vec<T>::width];
  v.store(in);
  for (T& x : in) x = f(x);
  return Vec<T>::load(in);
}
template <class T, class F>
Vec<T> lanes(Vec<T> a, Vec<T> b, F f) {
  alignas(64) T x[Vec<T>::width], y[Vec<T>::width];
  a.store(x);
  b.store(y);
  for (int i = 0; i < Vec<T>::width; ++i) x[i] = f(x[i], y[i]);
  return Vec<T>::load(x);
}

// `v`, with f(x) in the lanes of the mask: for arguments so rare that they may be slow.
template <class T, class F>
Vec<T> patch(Vec<T> v, Mask<T> where, Vec<T> x, F f) {
  if (__builtin_expect(!any(where), 1)) return v;
  alignas(64) T from[Vec<T>::width], to[Vec<T>::width], held[Vec<T>::width];
  x.store(from);
  v.store(to);
  Vec<T>(ei::pand(where.p, Vec<T>(1).p)).store(held);
  for (int i = 0; i < Vec<T>::width; ++i) {
    if (held[i] != 0) to[i] = f(from[i]);
  }
  return Vec<T>::load(to);
}

}  // namespace agog
