
// Algorithms of the standard library over two ranges. Rust code of this folder passes ranges in place of iterators.

namespace std {
namespace drrvm {

template <typename T>
SmallVector<T> merged_set_intersection(ArrayRef<T> x, ArrayRef<T> y) {
  SmallVector<T> both;
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] < y[j]) {
      ++i;
    } else if (y[j] < x[i]) {
      ++j;
    } else {
      both.push_back(x[i]);
      ++i;
      ++j;
    }
  }
  return both;
}

template <typename T>
SmallVector<T> merged_set_union(ArrayRef<T> x, ArrayRef<T> y) {
  SmallVector<T> all;
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (i == x.size()) {
      all.push_back(y[j]);
      ++j;
    } else if (j == y.size() || x[i] < y[j]) {
      all.push_back(x[i]);
      ++i;
    } else if (y[j] < x[i]) {
      all.push_back(y[j]);
      ++j;
    } else {
      all.push_back(x[i]);
      ++i;
      ++j;
    }
  }
  return all;
}

template <typename T>
SmallVector<T> merged_set_difference(ArrayRef<T> x, ArrayRef<T> y) {
  SmallVector<T> rest;
  size_t i = 0, j = 0;
  while (i < x.size()) {
    if (j == y.size() || x[i] < y[j]) {
      rest.push_back(x[i]);
      ++i;
    } else if (y[j] < x[i]) {
      ++j;
    } else {
      ++i;
      ++j;
    }
  }
  return rest;
}

template <typename T>
SmallVector<T> merged_set_symmetric_difference(ArrayRef<T> x, ArrayRef<T> y) {
  SmallVector<T> rest;
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (i == x.size()) {
      rest.push_back(y[j]);
      ++j;
    } else if (j == y.size() || x[i] < y[j]) {
      rest.push_back(x[i]);
      ++i;
    } else if (y[j] < x[i]) {
      rest.push_back(y[j]);
      ++j;
    } else {
      ++i;
      ++j;
    }
  }
  return rest;
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
