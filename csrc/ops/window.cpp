#include "ops/window.h"

#include <algorithm>

#include "kernels/copy.h"

namespace agog {
namespace {

const WindowAttrs& defaults_3d() {
  static const WindowAttrs attrs = [] {
    WindowAttrs a;
    a.data_format = "NDHWC";
    a.dilations = {1, 1, 1, 1, 1};
    return a;
  }();
  return attrs;
}

Windows::Padding read_padding(const OpCtx& c, const WindowAttrs& attrs) {
  const std::string& padding = attrs.padding;
  if (padding == "SAME") return Windows::kSame;
  if (padding == "VALID") return Windows::kValid;
  bool named = false;
  for (const AttrField& f : c.op().def.attrs.fields) {
    named |= std::string(f.name) == "explicit_paddings";
  }
  // The gradient of a gradient has the paddings, though none can be given to it by name.
  const bool allowed = named || !attrs.explicit_paddings.empty();
  c.require(allowed && padding == "EXPLICIT", "padding must be SAME",
            named ? ", VALID or EXPLICIT" : " or VALID", ", got ", padding);
  return Windows::kExplicit;
}

void read_explicit(const OpCtx& c, const Ints& list, const ImageLayout& layout, Windows& w) {
  const auto entries = static_cast<size_t>(2 * layout.rank());
  c.require(list.size() == entries, "explicit_paddings must have ", entries,
            " entries, two for each dimension, got ", list.size());
  for (size_t i = 0; i < entries; ++i) {
    c.require(list[i] >= 0, "explicit_paddings[", i, "] = ", list[i], " is negative");
    c.require(list[i] < (int64_t{1} << 31), "explicit_paddings[", i, "] = ", list[i],
              " is too large");
  }
  const auto channel = static_cast<size_t>(layout.channel());
  c.require(list[0] == 0 && list[1] == 0 && list[2 * channel] == 0 && list[2 * channel + 1] == 0,
            "explicit_paddings must be 0 for batch and channels");
  for (int d = layout.first(); d < 3; ++d) {
    const auto at = static_cast<size_t>(2 * layout.space(d));
    w.before[d] = list[at];
    w.after[d] = list[at + 1];
  }
}

}  // namespace

AttrsDef window_attrs_3d(AttrsDef def) {
  def.construct = [](void* p) { new (p) WindowAttrs(defaults_3d()); };
  def.defaults = &defaults_3d();
  return def;
}

ImageLayout image_layout(const OpCtx& c, int dims, const std::string& format) {
  const char* last = dims == 2 ? "NHWC" : "NDHWC";
  const char* first = dims == 2 ? "NCHW" : "NCDHW";
  if (format == "NCHW_VECT_C") fail(ErrorCode::kUnimplemented, "data_format NCHW_VECT_C");
  c.require(format == last || format == first, "data_format must be ", last, " or ", first,
            ", got ", format);
  return {dims, format == last};
}

void require_images(const OpCtx& c, int input, const ImageLayout& layout) {
  const Shape& s = c.input(input).shape();
  c.require(!s.has_rank() || s.rank() == layout.rank(), c.input_name(input), " must have ",
            layout.rank(), " dimensions, got shape ", s);
}

void read_sizes(const OpCtx& c, const char* what, const Ints& list, const ImageLayout& layout,
                int64_t* space) {
  c.require(static_cast<int>(list.size()) == layout.rank(), what, " must have ", layout.rank(),
            " entries, one for each dimension, got ", list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    c.require(list[i] > 0, what, "[", i, "] = ", list[i], " is not positive");
    c.require(list[i] < (int64_t{1} << 31), what, "[", i, "] = ", list[i], " is too large");
  }
  if (list[0] != 1 || list[static_cast<size_t>(layout.channel())] != 1) {
    fail(ErrorCode::kUnimplemented, what, " must be 1 for batch and channels, got ", list[0],
         " and ", list[static_cast<size_t>(layout.channel())]);
  }
  for (int d = layout.first(); d < 3; ++d) space[d] = list[static_cast<size_t>(layout.space(d))];
}

Windows read_windows(const OpCtx& c, const WindowAttrs& attrs, const ImageLayout& layout) {
  Windows w;
  w.padding = read_padding(c, attrs);
  read_sizes(c, "strides", attrs.strides, layout, w.stride);
  if (attrs.ksize.empty()) read_sizes(c, "dilations", attrs.dilations, layout, w.dilation);
  if (w.padding == Windows::kExplicit) {
    read_explicit(c, attrs.explicit_paddings, layout, w);
  } else {
    c.require(attrs.explicit_paddings.empty(), "explicit_paddings need the padding EXPLICIT, got ",
              attrs.padding);
  }
  return w;
}

int64_t Windows::count(const OpCtx& c, int d, int64_t in, int64_t* lead) const {
  *lead = before[d];
  if (in < 0 || size[d] < 0) return -1;
  const int64_t reach = (size[d] - 1) * dilation[d] + 1;
  if (padding == kSame) {
    const int64_t n = (in + stride[d] - 1) / stride[d];
    *lead = std::max<int64_t>(0, (n - 1) * stride[d] + reach - in) / 2;
    return n;
  }
  const int64_t padded = in + before[d] + after[d];
  const int64_t n = (padded - reach + stride[d]) / stride[d];
  c.require(n >= 0, "a window of ", reach, " does not fit into ", padded,
            " numbers; pad more, as with padding SAME");
  return n;
}

Shape channels_last_shape(const Shape& s, const ImageLayout& layout) {
  if (layout.channels_last || !s.has_rank()) return s;
  Shape moved{s[0]};
  for (int d = 2; d < s.rank(); ++d) moved.push_back(s[d]);
  moved.push_back(s[1]);
  return moved;
}

Tensor channels_last(const Tensor& t, const ImageLayout& layout) {
  if (layout.channels_last) return t;
  const Shape& s = t.shape();
  Tensor to = Tensor::empty(t.dtype(), channels_last_shape(s, layout));
  int64_t space = 1;
  for (int d = 2; d < s.rank(); ++d) space *= s[d];
  StridedCopy copy;
  copy.add(s[0], space * s[1], space * s[1]);
  copy.add(space, 1, s[1]);
  copy.add(s[1], space, 1);
  if (t.num_elements() > 0) copy.run(t.raw(), to.mutable_raw(), size_of(t.dtype()));
  return to;
}

void from_channels_last(const Tensor& t, const ImageLayout& layout, const Tensor& to) {
  if (layout.channels_last || t.num_elements() == 0) return;
  const Shape& s = to.shape();
  int64_t space = 1;
  for (int d = 2; d < s.rank(); ++d) space *= s[d];
  StridedCopy copy;
  copy.add(s[0], space * s[1], space * s[1]);
  copy.add(s[1], 1, space);
  copy.add(space, s[1], 1);
  copy.run(t.raw(), to.mutable_raw(), size_of(t.dtype()));
}

Shape image_shape(const ImageLayout& layout, int64_t batch, const int64_t* space,
                  int64_t channels) {
  Shape s{batch};
  if (!layout.channels_last) s.push_back(channels);
  for (int d = layout.first(); d < 3; ++d) s.push_back(space[d]);
  if (layout.channels_last) s.push_back(channels);
  return s;
}

Tensor sizes_tensor(const Shape& s) {
  const Tensor t = Tensor::empty(DType::kInt32, Shape{s.rank()});
  for (int d = 0; d < s.rank(); ++d) t.mutable_data<int32_t>()[d] = static_cast<int32_t>(s[d]);
  return t;
}

}  // namespace agog
