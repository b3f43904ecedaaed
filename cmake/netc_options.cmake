# Warnings, sanitizers and the compiler cache, kept in one interface target that every library of ours uses.
add_library(netc_options INTERFACE)
target_compile_options(netc_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")   # g++ 12 raises false alarms on "text" + std::string (GCC bug 105651)
  target_compile_options(netc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
target_include_directories(netc_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(netc_options INTERFACE NETC_VERSION="${PROJECT_VERSION}")

if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NETC_SANITIZE)
  set(NETC_SANITIZER_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  # Line tables are all a sanitizer's report needs; full debug information would double the time to link the tests.
  add_compile_options(${NETC_SANITIZER_FLAGS} -O1 -g1)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
