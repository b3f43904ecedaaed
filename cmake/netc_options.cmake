# Warnings, sanitizers and the compiler cache, kept in one interface target that every library of ours uses.
add_library(netc_options INTERFACE)
target_compile_options(netc_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")   # g++ 12 raises false alarms on "text" + std::string (GCC bug 105651)
  target_compile_options(netc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow> $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
endif()
# The ANTLR runtime wants it so (cmake/antlr_grammar.cmake); one setting for all lets all use the same precompiled headers.
target_compile_options(netc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-char8_t>)
target_include_directories(netc_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(netc_options INTERFACE NETC_VERSION="${PROJECT_VERSION}")

if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NETC_SANITIZE)
  # Left out: the checks of every pointer for null, type and alignment. They double the time to compile, and
  # AddressSanitizer stops at a null pointer as well.
  set(NETC_SANITIZER_FLAGS -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  # Line tables are all a sanitizer's report needs; full debug information would double the time to link the tests.
  # Unoptimized, for that halves the time to compile; rooms whose code runs long are optimized a little (netc_library).
  add_compile_options(${NETC_SANITIZER_FLAGS} -O0 -g1)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  # What ccache asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# Headers that nearly every file includes, read once: a quarter of the time to build. Files still include all they use;
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows where one does not.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled/none.cpp "")
add_library(netc_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled/none.cpp)
target_link_libraries(netc_precompiled PRIVATE netc_options)
target_precompile_headers(netc_precompiled PRIVATE
  <algorithm> <functional> <map> <memory> <optional> <set> <sstream> <string> <variant> <vector>)
