// Ops that move blocks of space into channels or batches, and back.
#include <cstring>

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct BlockAttrs {
  int64_t block_size = 0;
  std::string data_format = "NHWC";
};

namespace {

// Sizes of an image whose depth holds blocks: depth = block * block * channels.
struct BlockImage {
  int64_t batch, height, width, channels, block;
  bool channels_last;
};

bool channels_last(const OpCtx& c) {
  const std::string& format = c.attrs<BlockAttrs>().data_format;
  if (format == "NCHW_VECT_C") fail(ErrorCode::kUnimplemented, "data_format NCHW_VECT_C");
  c.require(format == "NHWC" || format == "NCHW", "data_format must be NHWC or NCHW, got ", format);
  return format == "NHWC";
}

int64_t block_size(const OpCtx& c) {
  const int64_t b = c.attrs<BlockAttrs>().block_size;
  c.require(b >= 2 && b < (int64_t{1} << 20), "block_size must be at least 2, got ", b);
  return b;
}

void require_image(const OpCtx& c) {
  c.require(c.input(0).rank() == 4, "input must have 4 dimensions, got shape ", c.input(0).shape());
}

BlockImage deep_image(const OpCtx& c) {
  require_image(c);
  const Shape& s = c.input(0).shape();
  const bool last = channels_last(c);
  const int64_t b = block_size(c), depth = s[last ? 3 : 1];
  c.require(depth % (b * b) == 0, "the depth ", depth, " of input of shape ", s,
            " must be a multiple of block_size squared, ", b * b);
  return {s[0], s[last ? 1 : 2], s[last ? 2 : 3], depth / (b * b), b, last};
}

BlockImage wide_image(const OpCtx& c) {
  require_image(c);
  const Shape& s = c.input(0).shape();
  const bool last = channels_last(c);
  const int64_t b = block_size(c), h = s[last ? 1 : 2], w = s[last ? 2 : 3];
  c.require(h % b == 0 && w % b == 0, "height and width of input of shape ", s,
            " must be multiples of block_size ", b);
  return {s[0], h / b, w / b, s[last ? 3 : 1], b, last};
}

Shape image_shape(int64_t n, int64_t h, int64_t w, int64_t channels, bool last) {
  return last ? Shape{n, h, w, channels} : Shape{n, channels, h, w};
}

// Between the deep and the wide image; the loops run in the order of the wide one.
void move_blocks(const BlockImage& m, const void* from, void* to, int width, bool widen) {
  const int64_t b = m.block;
  const Strides wide(image_shape(m.batch, m.height * b, m.width * b, m.channels, m.channels_last));
  const Strides deep(image_shape(m.batch, m.height, m.width, m.channels * b * b, m.channels_last));
  const int h = m.channels_last ? 1 : 2, w = h + 1, ch = m.channels_last ? 3 : 1;
  StridedCopy copy;
  auto add = [&](int64_t size, int64_t in_deep, int64_t in_wide) {
    copy.add(size, widen ? in_deep : in_wide, widen ? in_wide : in_deep);
  };
  add(m.batch, deep[0], wide[0]);
  if (!m.channels_last) add(m.channels, deep[ch], wide[ch]);
  add(m.height, deep[h], wide[h] * b);
  add(b, b * m.channels * deep[ch], wide[h]);
  add(m.width, deep[w], wide[w] * b);
  add(b, m.channels * deep[ch], wide[w]);
  if (m.channels_last) add(m.channels, deep[ch], wide[ch]);
  copy.run(from, to, width);
}

// A batch that holds the blocks of space: [batch * blocks, sizes..., rest] and [batch, space...,
// rest].
struct BlockBatch {
  int rank = 0;  // dimensions of space
  int64_t block[kMaxRank], before[kMaxRank], space[kMaxRank], sizes[kMaxRank];
  int64_t batch = 0, blocks = 1, rest = 1;
};

// Reads block_shape and the margins, inputs 1 and 2.
BlockBatch read_blocks(const OpCtx& c) {
  const Tensor &block = c.input(1), &margins = c.input(2);
  const Shape& s = c.input(0).shape();
  const int64_t rank = block.num_elements();
  c.require(block.rank() == 1 && rank < s.rank(), "block_shape must be a vector of at most ",
            s.rank() - 1, " elements for input of shape ", s, ", got shape ", block.shape());
  c.require(margins.rank() == 2 && margins.dim(0) == rank && margins.dim(1) == 2, c.input_name(2),
            " must have shape [", rank, ",2], got ", margins.shape());
  BlockBatch b;
  b.rank = static_cast<int>(rank);
  for (int k = 0; k < b.rank; ++k) {
    b.block[k] = index_value(block, k);
    b.before[k] = index_value(margins, 2 * k);
    c.require(b.block[k] >= 1, "block_shape[", k, "] = ", b.block[k], " is not positive");
    c.require(b.before[k] >= 0 && index_value(margins, 2 * k + 1) >= 0, c.input_name(2), "[", k,
              "] is negative");
    c.require(!__builtin_mul_overflow(b.blocks, b.block[k], &b.blocks), "block_shape is too large");
  }
  b.rest = product(s, b.rank + 1, s.rank());
  return b;
}

BlockBatch to_batch(const OpCtx& c) {
  BlockBatch b = read_blocks(c);
  const Shape& s = c.input(0).shape();
  b.batch = s[0];
  for (int k = 0; k < b.rank; ++k) {
    b.space[k] = s[k + 1];
    int64_t padded = b.space[k];
    const bool fits = !__builtin_add_overflow(padded, b.before[k], &padded) &&
                      !__builtin_add_overflow(padded, index_value(c.input(2), 2 * k + 1), &padded);
    c.require(fits && padded % b.block[k] == 0, "dimension ", k + 1, " of input of shape ", s,
              ", padded to ", padded, ", must be a multiple of block_shape[", k,
              "] = ", b.block[k]);
    b.sizes[k] = padded / b.block[k];
  }
  return b;
}

BlockBatch to_space(const OpCtx& c) {
  BlockBatch b = read_blocks(c);
  const Shape& s = c.input(0).shape();
  c.require(s[0] % b.blocks == 0, "the batch of input of shape ", s,
            " must be a multiple of the product of block_shape, ", b.blocks);
  b.batch = s[0] / b.blocks;
  for (int k = 0; k < b.rank; ++k) {
    b.sizes[k] = s[k + 1];
    int64_t whole = 0;
    c.require(!__builtin_mul_overflow(b.sizes[k], b.block[k], &whole), "block_shape is too large");
    const int64_t after = index_value(c.input(2), 2 * k + 1);
    c.require(b.before[k] <= whole && after <= whole - b.before[k], "crops[", k, "] = (",
              b.before[k], ", ", after, ") is more than the ", whole, " there are");
    b.space[k] = whole - b.before[k] - after;
  }
  return b;
}

Shape block_shape(const BlockBatch& b, const Shape& input, bool batched) {
  Shape out = input;
  out[0] = b.batch;
  if (batched && __builtin_mul_overflow(b.batch, b.blocks, &out[0])) {
    fail(ErrorCode::kInvalidArgument, "block_shape is too large");
  }
  for (int k = 0; k < b.rank; ++k) out[k + 1] = batched ? b.sizes[k] : b.space[k];
  return out;
}

// Copies what one offset inside the blocks sees: a slice of space with a stride.
void move_offset(const BlockBatch& b, int64_t number, const char* from, char* to, int width,
                 bool batched) {
  int64_t offset[kMaxRank], rest = number;
  for (int k = b.rank - 1; k >= 0; --k) {
    offset[k] = rest % b.block[k];
    rest /= b.block[k];
  }
  const Strides space(b.space, b.rank), sizes(b.sizes, b.rank);
  const int64_t whole_space = product(Shape(b.space, b.rank), 0, b.rank) * b.rest;
  const int64_t whole_sizes = product(Shape(b.sizes, b.rank), 0, b.rank) * b.rest;
  int64_t at_space = 0, at_sizes = number * b.batch * whole_sizes;
  StridedCopy copy;
  auto add = [&](int64_t n, int64_t in_space, int64_t in_sizes) {
    copy.add(n, batched ? in_space : in_sizes, batched ? in_sizes : in_space);
  };
  add(b.batch, whole_space, whole_sizes);
  for (int k = 0; k < b.rank; ++k) {
    const int64_t step = b.block[k], lead = std::max<int64_t>(b.before[k] - offset[k], 0);
    const int64_t first = (lead + step - 1) / step;
    const int64_t reach = std::max<int64_t>(b.space[k] + b.before[k] - offset[k], 0);
    const int64_t last = std::min(b.sizes[k], (reach + step - 1) / step);
    if (last <= first) return;
    at_space += (first * step + offset[k] - b.before[k]) * space[k] * b.rest;
    at_sizes += first * sizes[k] * b.rest;
    add(last - first, step * space[k] * b.rest, sizes[k] * b.rest);
  }
  add(b.rest, 1, 1);
  copy.run(from + (batched ? at_space : at_sizes) * width,
           to + (batched ? at_sizes : at_space) * width, width);
}

void move_batch(const KernelCtx& c, const BlockBatch& b, bool batched) {
  const Tensor& out = c.out();
  if (out.num_elements() == 0) return;
  if (batched) std::memset(out.mutable_raw(), 0, static_cast<size_t>(out.num_bytes()));
  for (int64_t k = 0; k < b.blocks; ++k) {
    move_offset(b, k, c.in(0).data<char>(), out.mutable_data<char>(), size_of(c.dtype()), batched);
  }
}

GradFn opposite(const char* name, int inputs) {
  return [name, inputs](GradCtx& g) {
    if (!g.needs(0)) return;
    Tensor in[3] = {g.dy(0)};
    for (int i = 1; i < inputs; ++i) in[i] = g.x(i);
    g.dx(0) = execute1(find_op(name), in, inputs, inputs == 1 ? g.raw_attrs() : nullptr);
  };
}

OpDef image_row(const char* name, ShapeFn shape, KernelFn fn, const char* back) {
  return {.name = name,
          .inputs = {{"input", "T"}},
          .outputs = {{"output", "T"}},
          .types = {{"T", kAnyData}},
          .attrs = attrs_of<BlockAttrs>(required("block_size", &BlockAttrs::block_size),
                                        field("data_format", &BlockAttrs::data_format)),
          .shape = std::move(shape),
          .kernel = general(std::move(fn)),
          .grad = opposite(back, 1)};
}

OpDef batch_row(const char* name, const char* margins, const char* margins_type, ShapeFn shape,
                KernelFn fn, const char* back) {
  return {.name = name,
          .inputs = {{"input", "T"},
                     {"block_shape", "Tblock_shape", kHost},
                     {margins, margins_type, kHost}},
          .outputs = {{"output", "T"}},
          .types = {{"T", kReal},
                    {"Tblock_shape", kIndex, DType::kInt32},
                    {margins_type, kIndex, DType::kInt32}},
          .shape = std::move(shape),
          .kernel = general(std::move(fn)),
          .saves = {in(1), in(2)},
          .grad = opposite(back, 3)};
}

bool known(const ShapeCtx& c) {
  return c.in(0).fully_known() && (c.num_inputs() == 1 || (c.has_value(1) && c.has_value(2)));
}

}  // namespace

const Family space_ops([]() -> OpRows {
  return {
      image_row(
          "DepthToSpace",
          [](ShapeCtx& c) {
            if (!known(c)) return Shape::unknown_rank();
            const BlockImage m = deep_image(c);
            return image_shape(m.batch, m.height * m.block, m.width * m.block, m.channels,
                               m.channels_last);
          },
          [](KernelCtx& c) {
            move_blocks(deep_image(c), c.in(0).raw(), c.out().mutable_raw(), size_of(c.dtype()),
                        true);
          },
          "SpaceToDepth"),
      image_row(
          "SpaceToDepth",
          [](ShapeCtx& c) {
            if (!known(c)) return Shape::unknown_rank();
            const BlockImage m = wide_image(c);
            return image_shape(m.batch, m.height, m.width, m.channels * m.block * m.block,
                               m.channels_last);
          },
          [](KernelCtx& c) {
            move_blocks(wide_image(c), c.in(0).raw(), c.out().mutable_raw(), size_of(c.dtype()),
                        false);
          },
          "DepthToSpace"),
      batch_row(
          "SpaceToBatchND", "paddings", "Tpaddings",
          [](ShapeCtx& c) {
            return known(c) ? block_shape(to_batch(c), c.in(0), true) : Shape::unknown_rank();
          },
          [](KernelCtx& c) { move_batch(c, to_batch(c), true); }, "BatchToSpaceND"),
      batch_row(
          "BatchToSpaceND", "crops", "Tcrops",
          [](ShapeCtx& c) {
            return known(c) ? block_shape(to_space(c), c.in(0), false) : Shape::unknown_rank();
          },
          [](KernelCtx& c) { move_batch(c, to_space(c), false); }, "SpaceToBatchND"),
  };
});

}  // namespace agog
