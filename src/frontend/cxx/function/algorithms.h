
// Algorithms of the standard library over two ranges. Rust code of this folder passes ranges in place of iterators.

namespace std {
namespace drrvm {

// Merges two sorted ranges. Each flag states if the result contains the elements that only the first range has, that
// both ranges have, or that only the second range has.
template <typename T>
SmallVector<T> merged(ArrayRef<T> x, ArrayRef<T> y, bool withFirst, bool withBoth, bool withSecond) {
  SmallVector<T> all;
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i] < y[j])) {
      if (withFirst)
        all.push_back(x[i]);
      ++i;
    } else if (i == x.size() || y[j] < x[i]) {
      if (withSecond)
        all.push_back(y[j]);
      ++j;
    } else {
      if (withBoth)
        all.push_back(x[i]);
      ++i;
      ++j;
    }
  }
  return all;
}

template <typename T>
SmallVector<T> merged_set_intersection(ArrayRef<T> x, ArrayRef<T> y) {
  return std::merged(x, y, false, true, false);
}

template <typename T>
SmallVector<T> merged_set_union(ArrayRef<T> x, ArrayRef<T> y) {
  return std::merged(x, y, true, true, true);
}

template <typename T>
SmallVector<T> merged_set_difference(ArrayRef<T> x, ArrayRef<T> y) {
  return std::merged(x, y, true, false, false);
}

template <typename T>
SmallVector<T> merged_set_symmetric_difference(ArrayRef<T> x, ArrayRef<T> y) {
  return std::merged(x, y, true, false, true);
}

template <typename T>
SmallVector<T> merged_merge(ArrayRef<T> x, ArrayRef<T> y) {
  SmallVector<T> all;
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (i == x.size() || (j < y.size() && y[j] < x[i])) {
      all.push_back(y[j]);
      ++j;
    } else {
      all.push_back(x[i]);
      ++i;
    }
  }
  return all;
}

template <typename T>
bool compared_includes(ArrayRef<T> x, ArrayRef<T> y) {
  size_t i = 0, j = 0;
  while (i < x.size() && j < y.size()) {
    if (y[j] < x[i])
      return false;
    if (!(x[i] < y[j]))
      ++j;
    ++i;
  }
  return j == y.size();
}

template <typename T>
bool compared_is_permutation(ArrayRef<T> x, ArrayRef<T> y) {
  if (x.size() != y.size())
    return false;
  for (const T &element : x)
    if (llvm::count(x, element) != llvm::count(y, element))
      return false;
  return true;
}

template <typename T, typename U, typename V>
V compared_inner_product(ArrayRef<T> x, ArrayRef<U> y, V sum) {
  for (size_t i = 0; i < x.size(); ++i)
    sum = sum + x[i] * y[i];
  return sum;
}

} // namespace drrvm
} // namespace std
