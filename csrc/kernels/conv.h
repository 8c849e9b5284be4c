// Convolutions and their gradients, channels last.
//
// float32 goes to oneDNN, in parts that the problem alone decides; all else, and what oneDNN does
// not take, through matrix products of gathered windows. Half types compute in float and round
// once.
#pragma once

#include "core/tensor.h"

namespace agog {

// Space is depth, height, width; images of fewer dimensions have sizes of 1 in front.
struct Conv {
  int64_t batch = 0, in_channels = 0, out_channels = 0;
  int64_t groups = 1;  // output channel o reads the input channels of group o / (out / groups)
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0};  // zeros in front of the input

  int64_t in_space() const { return in[0] * in[1] * in[2]; }
  int64_t out_space() const { return out[0] * out[1] * out[2]; }
  int64_t window() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t group_in() const { return groups ? in_channels / groups : 0; }
  int64_t group_out() const { return groups ? out_channels / groups : 0; }
  // How far the window reaches, less one.
  int64_t reach(int d) const { return (kernel[d] - 1) * dilation[d]; }
  int64_t multiplications() const {
    return batch * out_space() * out_channels * window() * group_in();
  }
};

inline constexpr TypeSet kConvTypes = kFloating | set_of(DType::kInt32);

// x [batch, in..., in_channels], w [kernel..., in_channels / groups, out_channels],
// y [batch, out..., out_channels].
void conv(const Conv& c, const Tensor& x, const Tensor& w, const Tensor& y);
void conv_input_grad(const Conv& c, const Tensor& w, const Tensor& dy, const Tensor& dx);
void conv_filter_grad(const Conv& c, const Tensor& x, const Tensor& dy, const Tensor& dw);

namespace detail {

// Through oneDNN: false where it is missing or has no fast way.
bool onednn_conv(const Conv& c, const Tensor& x, const Tensor& w, const Tensor& y);
bool onednn_conv_input_grad(const Conv& c, const Tensor& w, const Tensor& dy, const Tensor& dx);
bool onednn_conv_filter_grad(const Conv& c, const Tensor& x, const Tensor& dy, const Tensor& dw);

// For groups of one input channel: plain loops.
template <class T>
struct Depthwise {
  static void forward(const Conv& c, const T* x, const T* w, T* y);
  static void input_grad(const Conv& c, const T* w, const T* dy, T* dx);
  static void filter_grad(const Conv& c, const T* x, const T* dy, T* dw);
};

}  // namespace detail
}  // namespace agog
