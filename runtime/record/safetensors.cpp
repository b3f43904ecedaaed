#include "runtime/record/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/base/errors.h"

namespace netc {
namespace {

using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

constexpr uint64_t kMostHeaderBytes = 100u << 20;   // the limit of the format's own reader

[[noreturn]] void refuse(const std::string& path, const std::string& fault) {
  throw RuntimeError(fmt::format("{} is no sound safetensors file: {}", path, fault),
                     "take a file that netc or another program wrote whole");
}

// Parses the header and refuses keys given twice, of which JSON readers keep either.
ordered_json parse_header(const std::string& path, const std::string& text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, ordered_json::parse_event_t event, ordered_json& value) {
    if (event == ordered_json::parse_event_t::object_start) keys.emplace_back();
    if (event == ordered_json::parse_event_t::object_end) keys.pop_back();
    if (event == ordered_json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  ordered_json header;
  try {
    header = ordered_json::parse(text, watch);
  } catch (const ordered_json::exception&) {
    refuse(path, "its header is not JSON");
  }
  if (!twice.empty()) refuse(path, fmt::format("`{}` stands twice in its header", twice));
  if (!header.is_object()) refuse(path, "its header is not a JSON object");
  return header;
}

struct Entry {
  StoredTensor tensor;
  uint64_t begin = 0, end = 0;
};

Entry read_entry(const std::string& path, const std::string& name, const ordered_json& json) {
  const auto is_counts = [](const ordered_json& list) {
    return list.is_array() &&
           std::all_of(list.begin(), list.end(), [](const auto& n) { return n.is_number_unsigned(); });
  };
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets") ||
      !json["dtype"].is_string() || !is_counts(json["shape"]) || !is_counts(json["data_offsets"]) ||
      json["data_offsets"].size() != 2)
    refuse(path, fmt::format("the entry of `{}` is not dtype, shape and data_offsets", name));
  if (json["dtype"] != "F32")
    refuse(path, fmt::format("`{}` holds {}, only F32 is read", name, json["dtype"].get<std::string>()));
  Entry entry;
  entry.tensor.name = name;
  entry.begin = json["data_offsets"][0].get<uint64_t>();
  entry.end = json["data_offsets"][1].get<uint64_t>();
  uint64_t bytes = 4;
  for (const auto& size : json["shape"]) {
    if (__builtin_mul_overflow(bytes, size.get<uint64_t>(), &bytes) || bytes > uint64_t{1} << 60)
      refuse(path, fmt::format("`{}` is too large", name));
    entry.tensor.shape.push_back(static_cast<int64_t>(size.get<uint64_t>()));
  }
  if (entry.end < entry.begin || entry.end - entry.begin != bytes)
    refuse(path, fmt::format("`{}` of shape [{}] takes {} bytes, its offsets say {} to {}", name,
                             fmt::join(entry.tensor.shape, ", "), bytes, entry.begin, entry.end));
  return entry;
}

}  // namespace

const StoredTensor* TensorFile::find(const std::string& name) const {
  for (const StoredTensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

std::string TensorFile::note(const std::string& key) const {
  for (const auto& [name, value] : metadata)
    if (name == key) return value;
  return "";
}

void write_safetensors(AtomicFiles& files, const std::string& path,
                       const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::vector<TensorOutline>& tensors, const TensorValues& values) {
  ordered_json header = ordered_json::object();
  for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
  uint64_t offset = 0;
  for (const TensorOutline& tensor : tensors) {
    const uint64_t end = offset + static_cast<uint64_t>(element_count(tensor.shape)) * sizeof(float);
    header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');   // the values start on a multiple of eight
  const uint64_t length = text.size();

  files.begin(path);
  files.append(std::as_bytes(std::span(&length, 1)));
  files.append(text);
  for (const TensorOutline& tensor : tensors) {
    const std::vector<float> numbers = values(tensor.name);
    if (static_cast<int64_t>(numbers.size()) != element_count(tensor.shape))
      throw InternalError("the values of " + tensor.name + " do not have its shape");
    files.append(std::as_bytes(std::span(numbers)));
  }
}

TensorFile read_safetensors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw RuntimeError(fmt::format("cannot read {}: {}", path, std::strerror(errno)), "check the path");
  file.seekg(0, std::ios::end);
  const auto size = static_cast<uint64_t>(file.tellg());
  file.seekg(0);

  uint64_t length = 0;
  if (size < sizeof length || !file.read(reinterpret_cast<char*>(&length), sizeof length))
    refuse(path, "it is shorter than its first eight bytes");
  if (length > kMostHeaderBytes || length > size - sizeof length)
    refuse(path, fmt::format("its header would be {} bytes long, the file is {}", length, size));
  std::string text(length, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(length))) refuse(path, "its header is cut short");
  const ordered_json header = parse_header(path, text);

  TensorFile content;
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.items()) {
    if (name != "__metadata__") {
      entries.push_back(read_entry(path, name, json));
      continue;
    }
    if (!json.is_object()) refuse(path, "its __metadata__ is not an object of texts");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) refuse(path, fmt::format("__metadata__ `{}` is not a text", key));
      content.metadata.emplace_back(key, value.get<std::string>());
    }
  }

  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  const uint64_t values_bytes = size - sizeof length - length;
  uint64_t expected = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != expected)
      refuse(path, fmt::format("`{}` starts at byte {} of the values, where {} was expected", entry.tensor.name, entry.begin,
                               expected));
    expected = entry.end;
  }
  if (expected != values_bytes)
    refuse(path, fmt::format("its header describes {} bytes of values, the file holds {}", expected, values_bytes));

  for (Entry& entry : entries) {
    StoredTensor& tensor = entry.tensor;
    tensor.values.resize((entry.end - entry.begin) / sizeof(float));
    if (!file.read(reinterpret_cast<char*>(tensor.values.data()), static_cast<std::streamsize>(entry.end - entry.begin)))
      refuse(path, fmt::format("the values of `{}` are cut short", tensor.name));
    content.tensors.push_back(std::move(tensor));
  }
  return content;
}

}  // namespace netc
