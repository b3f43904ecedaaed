# netc_library(name FOLDER dir [SUBFOLDERS a b] [EXCEPT file ...] USES target ...)
# One static library from the .cpp files that stand directly in a folder (and in the named subfolders). A folder
# that holds only headers becomes an interface library.
function(netc_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "SUBFOLDERS;EXCEPT;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  foreach(sub IN LISTS ARG_SUBFOLDERS)
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/${sub}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  foreach(file IN LISTS ARG_EXCEPT)
    list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/${file})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${ARG_USES} PUBLIC netc_options)
    if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND name MATCHES "^(compiler_(base|kernel|syntax|sema)|runtime|runtime_.*)$")
      # Code that runs long, or deep: unoptimized frames with sanitizers could fill the stack. Precompiled headers do not fit then.
      target_compile_options(${name} PRIVATE -O1)
    else()
      target_precompile_headers(${name} REUSE_FROM netc_precompiled)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_USES} netc_options)
  endif()
endfunction()

# netc_test(name FOLDER dir USES target ...): one GoogleTest executable from the .cpp files of a folder.
function(netc_test name)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_USES} netc_options GTest::gtest GTest::gmock GTest::gtest_main)
  # Assertions are many and run once: optimizing them, or watching them for undefined behaviour, would be half the
  # build. The code under test is compiled as everywhere.
  set(options -O0 $<$<CONFIG:Debug>:-fno-sanitize=undefined>)
  if(NOT TARGET netc_precompiled_test)
    file(WRITE ${CMAKE_BINARY_DIR}/precompiled/main.cpp "int main() {}\n")   # a program: position-independent as the tests are
    add_executable(netc_precompiled_test EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/main.cpp)
    target_link_libraries(netc_precompiled_test PRIVATE netc_options GTest::gtest GTest::gmock)
    target_compile_options(netc_precompiled_test PRIVATE ${options})
    target_precompile_headers(netc_precompiled_test PRIVATE <gmock/gmock.h> <gtest/gtest.h> <filesystem> <fstream>
      <algorithm> <functional> <map> <memory> <optional> <set> <sstream> <string> <variant> <vector>)
  endif()
  target_compile_options(${name} PRIVATE ${options})
  target_precompile_headers(${name} REUSE_FROM netc_precompiled_test)
  target_compile_definitions(${name} PRIVATE
    NETC_SOURCE_DIR="${CMAKE_SOURCE_DIR}" NETC_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
