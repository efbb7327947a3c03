// Vectors for tests and the benchmark: similar to embeddings (many directions matter, but few for one text, and texts
// cluster around subjects), and the exact result by a plain loop that shares no code with the index.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "vectors/index/vector_index.h"

namespace mb::vectors {

using Floats = std::vector<float>;

// `count` vectors of independent normal numbers: the hardest to index.
inline std::vector<Floats> noise(size_t count, size_t dimensions, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Floats> vectors(count, Floats(dimensions));
  for (Floats& vector : vectors) std::ranges::generate(vector, [&] { return normal(random); });
  return vectors;
}

// Generates vectors around `subjects` centres that vary in `inner` directions, and a little in all.
class Texts {
 public:
  Texts(size_t dimensions, size_t subjects, size_t inner, uint32_t seed)
      : random_(seed),
        centres_(noise(subjects, dimensions, seed + 1)),
        directions_(noise(inner, dimensions, seed + 2)) {}

  Floats next() {
    std::normal_distribution<float> normal;
    Floats vector = centres_[random_() % centres_.size()];
    for (const Floats& direction : directions_) {
      const float far = normal(random_);
      for (size_t i = 0; i < vector.size(); ++i) vector[i] += far * direction[i] * 0.4F;
    }
    for (float& value : vector) value += normal(random_) * 0.3F;
    return vector;
  }
  std::vector<Floats> many(size_t count) {
    std::vector<Floats> vectors;
    for (size_t i = 0; i < count; ++i) vectors.push_back(next());
    return vectors;
  }

 private:
  std::mt19937 random_;
  std::vector<Floats> centres_;
  std::vector<Floats> directions_;
};

inline double plainScore(Metric metric, const Floats& a, const Floats& b) {
  double dot = 0;
  double aa = 0;
  double bb = 0;
  double apart = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
    apart += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  }
  if (metric == Metric::dot) return dot;
  if (metric == Metric::euclidean) return -std::sqrt(apart);
  return aa == 0 || bb == 0 ? 0 : dot / std::sqrt(aa * bb);
}

using Documents = std::map<std::string, Floats>;

// Scores of the nearest, best first.
inline std::vector<double> plainNearest(Metric metric, const Documents& documents, const Floats& query, size_t limit,
                                        const std::function<bool(const std::string&)>& allows = nullptr) {
  std::vector<double> scores;
  for (const auto& [id, vector] : documents) {
    if (!allows || allows(id)) scores.push_back(plainScore(metric, query, vector));
  }
  std::ranges::sort(scores, std::greater());
  scores.resize(std::min(limit, scores.size()));
  return scores;
}

// The share of the expected results that was found: hits at least as good as the last of the expected ones.
inline double recall(const std::vector<double>& right, const std::vector<Hit>& hits) {
  if (right.empty()) return hits.empty() ? 1 : 0;
  const double min = right.back() - 1e-4 * (1 + std::abs(right.back()));
  const auto good = std::ranges::count_if(hits, [&](const Hit& hit) { return hit.score >= min; });
  return static_cast<double>(std::min<size_t>(static_cast<size_t>(good), right.size())) /
         static_cast<double>(right.size());
}

}  // namespace mb::vectors
