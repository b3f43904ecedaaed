// The C functions of NVRTC that we call, declared by ourselves so that no toolkit is needed to build.
//
// Result is NVRTC's enumeration (0: success) and Program its opaque handle; with the toolkit's own types the members
// must equal the toolkit's declarations, which tests/sim/nvrtc_test.cpp checks wherever its header is found.
#pragma once

#include <cstddef>

namespace netc::jit {

template <class Result, class Program>
struct NvrtcApi {
  Result (*version)(int* major, int* minor);
  Result (*supported_architecture_count)(int* count);
  Result (*supported_architectures)(int* architectures);
  Result (*create_program)(Program* program, const char* source, const char* name, int header_count,
                           const char* const* headers, const char* const* include_names);
  Result (*destroy_program)(Program* program);
  Result (*compile_program)(Program program, int option_count, const char* const* options);
  Result (*ptx_size)(Program program, std::size_t* bytes);
  Result (*ptx)(Program program, char* text);
  Result (*cubin_size)(Program program, std::size_t* bytes);
  Result (*cubin)(Program program, char* binary);
  Result (*log_size)(Program program, std::size_t* bytes);
  Result (*log)(Program program, char* text);
  const char* (*error_text)(Result result);
};

}  // namespace netc::jit
