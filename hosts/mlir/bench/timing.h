// Times of engines, and their comparison with goals.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

inline std::map<std::string, std::vector<double>> times;
inline std::vector<std::string> order;

template <typename F> void timed(const std::string &name, size_t ops, F run) {
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  run();
  double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  if (times[name].empty())
    order.push_back(name);
  times[name].push_back(ns / double(ops));
}

inline double median(const std::string &name) {
  auto &all = times[name];
  if (all.empty())
    return 0;
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

inline void require(bool holds, const char *message) {
  if (!holds) {
    std::fprintf(stderr, "error: %s\n", message);
    std::exit(1);
  }
}

inline void verdict(const char *goal, double ratio, double wanted, bool atMost = false) {
  if (ratio > 0)
    std::printf("%-62s %6.2f  %s\n", goal, ratio, (atMost ? ratio <= wanted : ratio >= wanted) ? "met" : "missed");
}

// Prints the median of each time: the times to compile in milliseconds, and the other times in nanoseconds per
// operation.
inline void printTimes() {
  for (const std::string &name : order) {
    bool compiles = name.rfind("compile", 0) == 0;
    std::printf("  %-44s %10.1f %s\n", name.c_str(), median(name) / (compiles ? 1e6 : 1),
                compiles ? "ms" : "ns per operation");
  }
}
