// Samples in memory. A Table is what one reader read, each field as one raw column in the type the field was declared
// with; a Split is a list of the table's records, so that `take`, `part` and `shuffle` move numbers and no samples, and
// all towers read the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/base/tensor_type.h"

namespace netc {

class Diagnostics;

// One field of a table: record r stands at bytes[r * record_bytes], row-major, in this machine's byte order.
// u8 and bool take one byte a value, class(N) and i32 four; the type is the field's raw type, unchanged.
struct Column {
  std::string field;
  DType dtype = DType::f32;
  Shape shape;                    // of one sample
  int64_t record_bytes = 0;
  std::vector<std::byte> bytes;

  const std::byte* record(int64_t r) const { return bytes.data() + r * record_bytes; }
};

struct Table {
  std::string origin;             // the files read, for messages and reports
  int64_t records = 0;
  std::vector<Column> columns;    // one a field, in the order of DataSpec::fields
};

struct Split {
  std::string name;               // "train", "validation", "test"
  std::shared_ptr<const Table> table;
  std::vector<uint32_t> records;  // row of the split -> record of the table

  int64_t rows() const { return static_cast<int64_t>(records.size()); }
  const Column* column(const std::string& field) const;   // nullptr if there is none
};

// What `standardize` learned from the train split: see standardize.h for names and shapes.
struct DataConstant {
  std::string name;               // "data.<field>.mean", "data.<field>.std"
  Shape shape;
  std::vector<float> values;
};

struct Dataset {
  std::string name;
  std::string root;                   // where relative paths were looked for, absolute
  std::vector<Split> splits;
  std::vector<DataConstant> constants;
  std::vector<std::string> remarks;   // what a user should know: "train-images-idx3-ubyte: read from its .gz"

  const Split* split(const std::string& split_name) const;   // nullptr if there is none
  int64_t bytes() const;                                      // memory held by columns and record lists
};

// Where relative paths are looked for, and who said so: "--data-root", "the folder of mnist_mlp.net".
struct DataRoot {
  std::string path = ".";
  std::string origin = "the current folder";
};

// Reads every split of `spec`, those of different files at the same time. All faults of files and declarations are reported to `diagnostics` (N0804 N0805 N0807
// N0808 N0809 N0811), each once; the result is usable only if it holds no errors. Throws RuntimeError when the machine
// fails (a read error).
Dataset open_dataset(const DataSpec& spec, const DataRoot& root, Diagnostics& diagnostics);

}  // namespace netc
