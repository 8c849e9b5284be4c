// What convolutions and pools say about their windows.
#pragma once

#include <string>

#include "op/attrs.h"
#include "op/contexts.h"

namespace agog {

struct WindowAttrs {
  Ints ksize;
  Ints strides;
  std::string padding;
  bool use_cudnn_on_gpu = true;  // changes nothing
  Ints explicit_paddings;
  std::string data_format = "NHWC";
  Ints dilations = {1, 1, 1, 1};
};

// Attrs of images of three dimensions, with the defaults of those.
AttrsDef window_attrs_3d(AttrsDef def);

// Where the channels and the sizes of space are in a shape of images of `dims` dimensions; space is
// counted as depth, height, width, and starts at first().
struct ImageLayout {
  int dims = 2;
  bool channels_last = true;

  int rank() const { return dims + 2; }
  int first() const { return 3 - dims; }
  int channel() const { return channels_last ? dims + 1 : 1; }
  int space(int d) const { return (channels_last ? 1 : 2) + d - first(); }
};

ImageLayout image_layout(const OpCtx& c, int dims, const std::string& data_format);
void require_images(const OpCtx& c, int input, const ImageLayout& layout);

// Windows over space, by depth, height, width.
struct Windows {
  enum Padding { kSame, kValid, kExplicit };
  Padding padding = kValid;
  int64_t size[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0}, after[3] = {0, 0, 0};  // of explicit padding

  // How many windows there are along dimension d of `in` numbers, -1 where that is unknown; puts
  // how many numbers of padding lie in front of the first into `lead`.
  int64_t count(const OpCtx& c, int d, int64_t in, int64_t* lead) const;
};

// Reads strides, dilations and padding; the sizes of windows stay 1.
Windows read_windows(const OpCtx& c, const WindowAttrs& attrs, const ImageLayout& layout);
// One entry for each dimension of an image, positive, and 1 for batch and channels.
void read_sizes(const OpCtx& c, const char* what, const Ints& list, const ImageLayout& layout,
                int64_t* space);

// The tensor with its channels last: itself, or a copy. And back into one of any layout.
Tensor channels_last(const Tensor& t, const ImageLayout& layout);
Shape channels_last_shape(const Shape& s, const ImageLayout& layout);
void from_channels_last(const Tensor& t, const ImageLayout& layout, const Tensor& to);

// Where a kernel that wants channels last puts its output: `out` itself, or a tensor that
// from_channels_last() then copies.
inline Tensor channels_last_output(const Tensor& out, const ImageLayout& layout) {
  return layout.channels_last
             ? out
             : Tensor::empty(out.dtype(), channels_last_shape(out.shape(), layout));
}

// The shape of images; sizes of space in order of depth, height, width.
Shape image_shape(const ImageLayout& layout, int64_t batch, const int64_t* space, int64_t channels);

// Sizes of images as an int32 vector.
Tensor sizes_tensor(const Shape& s);

}  // namespace agog
