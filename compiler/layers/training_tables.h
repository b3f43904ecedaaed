// The tables of the standard library that build no ops: optimizers, schedules, readers, transforms. What a row means is
// said by the part of the runtime or compiler that reads its specification (experiment.h).
#pragma once

#include <string>
#include <vector>

#include "compiler/layers/signature.h"

namespace netc {

const std::vector<Signature>& optimizer_table();
const std::vector<Signature>& schedule_table();
const std::vector<Signature>& reader_table();
const std::vector<Signature>& transform_table();   // stages of a field, with augmentations

const Signature* find_row(const std::vector<Signature>& table, const std::string& name);

// Numbers an optimizer keeps for each weight: momenta, mean squares.
int optimizer_slots(const std::string& name, bool momentum, bool centered, bool amsgrad);

}  // namespace netc
