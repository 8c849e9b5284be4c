// Convolutions of floats through oneDNN.
//
// The work is split by images, and by rows where there are few images, in parts that the problem
// alone decides; each part runs on one thread. oneDNN reads weights in an order of its own: they
// are copied into it, and the copy is kept where it would cost more than a hundredth of the
// product.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "kernels/conv.h"
#include "kernels/onednn_api.h"
#include "kernels/onednn_scope.h"

namespace agog::detail {

#ifdef AGOG_ONEDNN
namespace {

enum Kind : int64_t { kForward, kInputGrad, kFilterGrad };

// The dimension that rows are counted in: depth where there is one, else height.
int row_dim(const Conv& c) { return c.in[0] == 1 && c.kernel[0] == 1 && c.out[0] == 1 ? 1 : 0; }

// A part of a problem: some images, or some rows of one; itself a smaller problem.
struct Part {
  Conv problem;
  int64_t x_offset = 0, y_offset = 0;  // in numbers
};

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows [begin, end) of the output, and the input that they read.
Part output_rows(const Conv& c, int64_t image, int64_t begin, int64_t end) {
  const int d = row_dim(c);
  Part p{c};
  Conv& sub = p.problem;
  const int64_t from = begin * c.stride[d] - c.before[d];
  const int64_t to = (end - 1) * c.stride[d] - c.before[d] + c.reach(d) + 1;
  const int64_t low = std::clamp<int64_t>(from, 0, c.in[d]);
  const int64_t high = std::clamp<int64_t>(to, low, c.in[d]);
  sub.batch = 1;
  sub.in[d] = high - low;
  sub.out[d] = end - begin;
  sub.before[d] = low - from;
  p.x_offset = (image * c.in[d] + low) * (c.in_space() / c.in[d]) * c.in_channels;
  p.y_offset = (image * c.out[d] + begin) * (c.out_space() / c.out[d]) * c.out_channels;
  return p;
}

// Rows [begin, end) of the input, and the output that reads them.
Part input_rows(const Conv& c, int64_t image, int64_t begin, int64_t end) {
  const int d = row_dim(c);
  Part p{c};
  Conv& sub = p.problem;
  const int64_t s = c.stride[d], first = begin + c.before[d];
  const int64_t low = std::max<int64_t>(0, first - c.reach(d) + s - 1) / s;
  const int64_t high = std::min(c.out[d], (end - 1 + c.before[d]) / s + 1);
  sub.batch = 1;
  sub.in[d] = end - begin;
  sub.out[d] = std::max<int64_t>(0, high - low);
  sub.before[d] = first - low * s;
  p.x_offset = (image * c.in[d] + begin) * (c.in_space() / c.in[d]) * c.in_channels;
  p.y_offset = (image * c.out[d] + low) * (c.out_space() / c.out[d]) * c.out_channels;
  return p;
}

// About `count` parts.
std::vector<Part> parts_of(const Conv& c, Kind kind, int64_t count) {
  constexpr int64_t kFewestRows = 4;
  const int d = row_dim(c);
  std::vector<Part> parts;
  if (c.batch >= count || (kind == kInputGrad && c.stride[d] > c.reach(d) + 1)) {
    const int64_t images = ceil_div(c.batch, count);
    for (int64_t i = 0; i < c.batch; i += images) {
      Part p{c, i * c.in_space() * c.in_channels, i * c.out_space() * c.out_channels};
      p.problem.batch = std::min(images, c.batch - i);
      parts.push_back(p);
    }
    return parts;
  }
  const int64_t rows = kind == kInputGrad ? c.in[d] : c.out[d];
  const int64_t step = std::max(ceil_div(rows, ceil_div(count, c.batch)), kFewestRows);
  for (int64_t i = 0; i < c.batch; ++i) {
    for (int64_t r = 0; r < rows; r += step) {
      const int64_t end = std::min(rows, r + step);
      parts.push_back(kind == kInputGrad ? input_rows(c, i, r, end) : output_rows(c, i, r, end));
    }
  }
  return parts;
}

// --- Primitives -------------------------------------------------------------------------------

struct Compiled {
  dnn::Primitive primitive;
  dnn::Desc x, w, y, scratchpad;  // as the primitive wants them
  dnn::Desc plain_x, plain_y;     // as tensors are
  dnn::Primitive take_x, take_y;  // between the two, where they differ
};
using CompiledPtr = std::shared_ptr<const Compiled>;

dnn::Desc described(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  dnnl_memory_desc_t d = nullptr;
  dnn::api().memory_desc_create_with_strides(&d, static_cast<int>(dims.size()), dims.data(),
                                             dnnl_f32, strides.data());
  return dnn::own(d);
}
dnn::Desc any_order(const std::vector<int64_t>& dims) {
  dnnl_memory_desc_t d = nullptr;
  dnn::api().memory_desc_create_with_tag(&d, static_cast<int>(dims.size()), dims.data(), dnnl_f32,
                                         dnnl_format_tag_any);
  return dnn::own(d);
}

// Sizes and strides in oneDNN's order: batch, channels, space.
struct Layout {
  std::vector<int64_t> dims, strides;
};

Layout images(const Conv& c, int64_t channels, const int64_t* space) {
  Layout l{{c.batch, channels}, {0, 1}};
  int64_t step = channels;
  const int first = row_dim(c);
  l.strides.resize(static_cast<size_t>(5 - first));
  for (int d = first; d < 3; ++d) l.dims.push_back(space[d]);
  for (int d = 2; d >= first; --d) {
    l.strides[static_cast<size_t>(2 + d - first)] = step;
    step *= space[d];
  }
  l.strides[0] = step;
  return l;
}

// [kernel..., in, out] as oneDNN's [groups,] out, in, kernel...
Layout weights(const Conv& c) {
  Layout l;
  if (c.groups > 1) l = {{c.groups}, {c.group_out()}};
  l.dims.insert(l.dims.end(), {c.group_out(), c.group_in()});
  l.strides.insert(l.strides.end(), {1, c.out_channels});
  for (int d = row_dim(c); d < 3; ++d) {
    int64_t step = c.group_in() * c.out_channels;
    for (int k = d + 1; k < 3; ++k) step *= c.kernel[k];
    l.dims.push_back(c.kernel[d]);
    l.strides.push_back(step);
  }
  return l;
}
dnn::Desc plain_weights(const Conv& c) {
  const Layout l = weights(c);
  return described(l.dims, l.strides);
}

dnn::PrimitiveDesc primitive_desc(const Conv& c, Kind kind, const dnn::Desc& x, const dnn::Desc& w,
                                  const dnn::Desc& y) {
  const dnn::Api& a = dnn::api();
  const int first = row_dim(c);
  int64_t dilates[3], after[3];
  for (int d = 0; d < 3; ++d) {
    dilates[d] = c.dilation[d] - 1;
    after[d] = (c.out[d] - 1) * c.stride[d] + c.reach(d) + 1 - c.in[d] - c.before[d];
  }
  const int64_t *stride = c.stride + first, *dil = dilates + first, *before = c.before + first;
  dnnl_primitive_desc_t made = nullptr;
  if (a.convolution_forward_primitive_desc_create(
          &made, a.engine, dnnl_forward_training, dnnl_convolution_direct, x.get(), w.get(),
          nullptr, y.get(), stride, dil, before, after + first, a.attr) != dnnl_success) {
    return nullptr;
  }
  const dnn::PrimitiveDesc forward = dnn::own(made);
  if (kind == kForward) return forward;
  const dnnl_status_t status =
      kind == kInputGrad ? a.convolution_backward_data_primitive_desc_create(
                               &made, a.engine, dnnl_convolution_direct, x.get(), w.get(), y.get(),
                               stride, dil, before, after + first, forward.get(), a.attr)
                         : a.convolution_backward_weights_primitive_desc_create(
                               &made, a.engine, dnnl_convolution_direct, x.get(), w.get(), nullptr,
                               y.get(), stride, dil, before, after + first, forward.get(), a.attr);
  return status == dnnl_success ? dnn::own(made) : nullptr;
}

dnn::Primitive reorder(const dnn::Desc& from, const dnn::Desc& to) {
  dnnl_primitive_desc_t made = nullptr;
  const dnn::Api& a = dnn::api();
  if (a.reorder_primitive_desc_create(&made, from.get(), a.engine, to.get(), a.engine, nullptr) !=
      dnnl_success) {
    return nullptr;
  }
  return dnn::create(dnn::own(made));
}

// oneDNN's way without vector code is slower than ours.
bool is_reference(const dnn::PrimitiveDesc& p) {
  const char* name = nullptr;
  dnn::api().primitive_desc_query(p.get(), dnnl_query_impl_info_str, 0, &name);
  return name == nullptr || std::strncmp(name, "ref", 3) == 0;
}

// Null where oneDNN has no fast way.
CompiledPtr compile(const Conv& c, Kind kind) {
  const OneDnnScope scope;
  const Layout x = images(c, c.in_channels, c.in), y = images(c, c.out_channels, c.out);
  auto made = std::make_shared<Compiled>();
  made->plain_x = described(x.dims, x.strides);
  made->plain_y = described(y.dims, y.strides);
  // From this many channels on, copying both inputs into blocks pays.
  constexpr int64_t kBlocked = 64;
  const bool blocked = kind == kFilterGrad && std::min(c.group_in(), c.group_out()) >= kBlocked;
  const auto p =
      primitive_desc(c, kind, blocked ? any_order(x.dims) : made->plain_x,
                     any_order(weights(c).dims), blocked ? any_order(y.dims) : made->plain_y);
  if (!p || is_reference(p)) return nullptr;
  made->x = dnn::query(p, kind == kInputGrad ? dnnl_query_diff_src_md : dnnl_query_src_md);
  made->w = dnn::query(p, kind == kFilterGrad ? dnnl_query_diff_weights_md : dnnl_query_weights_md);
  made->y = dnn::query(p, kind == kForward ? dnnl_query_dst_md : dnnl_query_diff_dst_md);
  made->scratchpad = dnn::query(p, dnnl_query_scratchpad_md);
  made->primitive = dnn::create(p);
  bool good = made->primitive != nullptr;
  if (!dnn::same(made->plain_x, made->x)) {
    made->take_x = reorder(made->plain_x, made->x);
    good &= made->take_x != nullptr;
  }
  if (!dnn::same(made->plain_y, made->y)) {
    made->take_y = reorder(made->plain_y, made->y);
    good &= made->take_y != nullptr;
  }
  return good ? made : nullptr;
}

std::vector<int64_t> key_of(const Conv& c, Kind kind) {
  std::vector<int64_t> key{kind, c.batch, c.in_channels, c.out_channels, c.groups};
  for (const int64_t* v : {c.in, c.out, c.kernel, c.stride, c.dilation, c.before}) {
    key.insert(key.end(), v, v + 3);
  }
  return key;
}

// The primitives used last.
class Primitives {
 public:
  CompiledPtr get(const Conv& c, Kind kind) {
    const std::vector<int64_t> key = key_of(c, kind);
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    order_.emplace_front(key, compile(c, kind));
    places_[key] = order_.begin();
    if (order_.size() > kMost) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }

 private:
  static constexpr size_t kMost = 1024;
  using Entry = std::pair<std::vector<int64_t>, CompiledPtr>;
  std::mutex mutex_;
  std::list<Entry> order_;  // the latest first
  std::map<std::vector<int64_t>, std::list<Entry>::iterator> places_;
};

// The parts with their primitives; empty where oneDNN has no fast way for one of them.
struct Job {
  Part part;
  CompiledPtr compiled;
};
std::vector<Job> jobs_of(const Conv& c, Kind kind, int64_t count) {
  static auto* primitives = new Primitives;
  std::vector<Job> jobs;
  for (Part& p : parts_of(c, kind, count)) {
    const int d = row_dim(c);
    CompiledPtr compiled;
    if (p.problem.out[d] > 0) {
      // Rows that read nothing but zeros, which explicit padding can make.
      if (p.problem.in[d] == 0) return {};
      compiled = primitives->get(p.problem, kind);
      if (!compiled) return {};
    }
    jobs.push_back({p, compiled});
  }
  return jobs;
}

// --- Weights ----------------------------------------------------------------------------------

Tensor floats(const dnn::Desc& d) {
  const auto n = static_cast<int64_t>((dnn::size_of(d) + sizeof(float) - 1) / sizeof(float));
  return Tensor::empty(DType::kFloat, Shape{n});
}

Tensor packed(const Conv& c, const Tensor& w, const dnn::Desc& wanted) {
  const OneDnnScope scope;
  const dnn::Desc plain = plain_weights(c);
  if (dnn::same(plain, wanted)) return w;
  const dnn::Primitive order = reorder(plain, wanted);
  Tensor to = floats(wanted);
  if (!order ||
      !dnn::run(order, {{DNNL_ARG_FROM, plain, w.raw()}, {DNNL_ARG_TO, wanted, to.raw()}})) {
    fail(ErrorCode::kInternal, "oneDNN cannot reorder the weights of a convolution");
  }
  return to;
}

// Weights in oneDNN's order, by the memory that they were read from. An entry holds that memory, so
// nobody overwrites it: a variable that is assigned gets new memory, and a new entry.
class PackedWeights {
 public:
  Tensor get(const Conv& c, const Tensor& w, const dnn::Desc& wanted) {
    const std::lock_guard lock(mutex_);
    for (auto e = entries_.begin(); e != entries_.end(); ++e) {
      if (e->w.raw() != w.raw() || !dnn::same(e->desc, wanted)) continue;
      entries_.splice(entries_.begin(), entries_, e);
      return entries_.front().packed;
    }
    drop_dead();
    entries_.push_front({w.alias(), packed(c, w, wanted), wanted});
    bytes_ += 2 * w.num_bytes();
    while (entries_.size() > kMost || (bytes_ > kMostBytes && entries_.size() > 1)) {
      erase(std::prev(entries_.end()));
    }
    return entries_.front().packed;
  }

 private:
  static constexpr size_t kMost = 64;
  static constexpr int64_t kMostBytes = int64_t{256} << 20;
  struct Entry {
    Tensor w, packed;
    dnn::Desc desc;
  };
  using Place = std::list<Entry>::iterator;

  Place erase(Place e) {
    bytes_ -= 2 * e->w.num_bytes();
    return entries_.erase(e);
  }
  // Whatever nobody else holds any more.
  void drop_dead() {
    for (auto e = entries_.begin(); e != entries_.end();) {
      e = e->w.buffer()->unique() ? erase(e) : std::next(e);
    }
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest first
  int64_t bytes_ = 0;
};

// A tape has seen weights that are being trained: those change before they are used again.
Tensor weights_for(const Conv& c, const Tensor& w, const dnn::Desc& wanted) {
  static auto* cache = new PackedWeights;
  constexpr int64_t kFewPixels = 4096;  // more, and a copy costs little beside the product
  const bool keep = w.buffer() && !w.buffer()->is_external() && !w.traced() &&
                    c.batch * c.out_space() < kFewPixels;
  return keep ? cache->get(c, w, wanted) : packed(c, w, wanted);
}

// --- Running ----------------------------------------------------------------------------------

// oneDNN pads with less than a window; every size is at least 1.
bool takes(const Conv& c, const Tensor& x) {
  if (x.dtype() != DType::kFloat || dnn::api().engine == nullptr) return false;
  for (int d = 0; d < 3; ++d) {
    const int64_t after = (c.out[d] - 1) * c.stride[d] + c.reach(d) + 1 - c.in[d] - c.before[d];
    if (c.before[d] > c.reach(d) || after > c.reach(d)) return false;
  }
  return true;
}

int64_t part_count(const Conv& c) {
  constexpr int64_t kLeastWork = 1 << 20;  // multiplications
  return std::clamp<int64_t>(c.multiplications() / kLeastWork, 1, 16);
}

// Runs f for each of `n` parts; an error that it throws comes out here.
template <class F>
bool each_part(int64_t n, int64_t work, F&& f) {
  std::atomic<bool> good{true};
  std::exception_ptr error;
  std::mutex mutex;
  parallel_for(n, 1, work, [&](int64_t begin, int64_t end) {
    const OneDnnScope scope;
    for (int64_t i = begin; i < end && good; ++i) {
      try {
        if (!f(i)) good = false;
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        good = false;
      }
    }
  });
  if (error) std::rethrow_exception(error);
  return good;
}

// x into y, or y into x.
bool run_images(const Conv& c, Kind kind, const Tensor& w, const float* from, float* to) {
  const std::vector<Job> jobs = jobs_of(c, kind, part_count(c));
  if (jobs.empty()) return false;
  std::vector<Tensor> ready(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].compiled) continue;
    const bool as_before =
        i > 0 && jobs[i - 1].compiled && dnn::same(jobs[i].compiled->w, jobs[i - 1].compiled->w);
    ready[i] = as_before ? ready[i - 1] : weights_for(c, w, jobs[i].compiled->w);
  }
  return each_part(static_cast<int64_t>(jobs.size()), c.multiplications(), [&](int64_t i) {
    const auto& [part, compiled] = jobs[static_cast<size_t>(i)];
    if (!compiled) {  // input that no output reads
      std::fill_n(to + part.x_offset, part.problem.in_space() * c.in_channels, 0.0f);
      return true;
    }
    const Compiled& p = *compiled;
    const Tensor scratch = floats(p.scratchpad);
    const bool back = kind == kInputGrad;
    const void* x = back ? to + part.x_offset : from + part.x_offset;
    const void* y = back ? from + part.y_offset : to + part.y_offset;
    return dnn::run(p.primitive, {{back ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, p.x, x},
                                  {DNNL_ARG_WEIGHTS, p.w, ready[static_cast<size_t>(i)].raw()},
                                  {back ? DNNL_ARG_DIFF_DST : DNNL_ARG_DST, p.y, y},
                                  {DNNL_ARG_SCRATCHPAD, p.scratchpad, scratch.raw()}});
  });
}

// The tensor itself, or its copy in the primitive's order, kept in `copy`.
const void* taken(const dnn::Primitive& take, const dnn::Desc& plain, const dnn::Desc& wanted,
                  const float* from, Tensor& copy, bool& good) {
  if (!take) return from;
  copy = floats(wanted);
  good &= dnn::run(take, {{DNNL_ARG_FROM, plain, from}, {DNNL_ARG_TO, wanted, copy.raw()}});
  return copy.raw();
}

bool filter_part(const Job& job, const float* x, const float* dy, const Tensor& dw) {
  const Compiled& p = *job.compiled;
  Tensor copy_x, copy_y;
  bool good = true;
  const void* from_x = taken(p.take_x, p.plain_x, p.x, x + job.part.x_offset, copy_x, good);
  const void* from_y = taken(p.take_y, p.plain_y, p.y, dy + job.part.y_offset, copy_y, good);
  const Tensor scratch = floats(p.scratchpad);
  return good && dnn::run(p.primitive, {{DNNL_ARG_SRC, p.x, from_x},
                                        {DNNL_ARG_DIFF_DST, p.y, from_y},
                                        {DNNL_ARG_DIFF_WEIGHTS, p.w, dw.raw()},
                                        {DNNL_ARG_SCRATCHPAD, p.scratchpad, scratch.raw()}});
}

// sums[0] += sums[1] + ..., in this order.
void add_up(const std::vector<Tensor>& sums) {
  const int64_t n = sums[0].num_elements();
  float* to = sums[0].mutable_data<float>();
  parallel_for(n, 1 << 13, n * static_cast<int64_t>(sums.size()), [&](int64_t begin, int64_t end) {
    for (size_t k = 1; k < sums.size(); ++k) {
      const float* from = sums[k].data<float>();
      for (int64_t i = begin; i < end; ++i) to[i] += from[i];
    }
  });
}

}  // namespace

bool onednn_conv(const Conv& c, const Tensor& x, const Tensor& w, const Tensor& y) {
  return takes(c, x) && run_images(c, kForward, w, x.data<float>(), y.mutable_data<float>());
}

bool onednn_conv_input_grad(const Conv& c, const Tensor& w, const Tensor& dy, const Tensor& dx) {
  return takes(c, dy) && run_images(c, kInputGrad, w, dy.data<float>(), dx.mutable_data<float>());
}

bool onednn_conv_filter_grad(const Conv& c, const Tensor& x, const Tensor& dy, const Tensor& dw) {
  if (!takes(c, x)) return false;
  // Each part has weights of its own, which are added up in the end.
  constexpr int64_t kMostNumbers = 1 << 24;
  const int64_t most = std::clamp<int64_t>(kMostNumbers / dw.num_elements(), 2, 8);
  const std::vector<Job> jobs = jobs_of(c, kFilterGrad, std::min(part_count(c), most));
  if (jobs.empty()) return false;
  for (const Job& job : jobs) {
    if (!dnn::same(job.compiled->w, jobs[0].compiled->w)) return false;
  }
  std::vector<Tensor> sums;
  for (const Job& job : jobs) sums.push_back(floats(job.compiled->w));
  const bool good =
      each_part(static_cast<int64_t>(jobs.size()), c.multiplications(), [&](int64_t i) {
        const auto k = static_cast<size_t>(i);
        return filter_part(jobs[k], x.data<float>(), dy.data<float>(), sums[k]);
      });
  if (!good) return false;
  add_up(sums);
  const OneDnnScope scope;
  const dnn::Desc &from = jobs[0].compiled->w, to = plain_weights(c);
  const dnn::Primitive order = reorder(from, to);
  return order &&
         dnn::run(order, {{DNNL_ARG_FROM, from, sums[0].raw()}, {DNNL_ARG_TO, to, dw.raw()}});
}
#else
bool onednn_conv(const Conv&, const Tensor&, const Tensor&, const Tensor&) { return false; }
bool onednn_conv_input_grad(const Conv&, const Tensor&, const Tensor&, const Tensor&) {
  return false;
}
bool onednn_conv_filter_grad(const Conv&, const Tensor&, const Tensor&, const Tensor&) {
  return false;
}
#endif

}  // namespace agog::detail
