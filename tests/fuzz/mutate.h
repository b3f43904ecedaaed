// Changes a text by chance, but always the same for the same seed: half of the changes move whole words and signs,
// which gets deep into the grammar, half move bytes, which finds what nobody would write.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace netc::test {

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, uint64_t seed) : corpus_(std::move(corpus)), random_(seed) {}

  // A text of the corpus with one to twelve changes.
  std::string next();

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(random_() % limit); }
  const std::string& any_text() { return corpus_[below(corpus_.size())]; }
  void change_bytes(std::string& text);
  void change_words(std::string& text);

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace netc::test
