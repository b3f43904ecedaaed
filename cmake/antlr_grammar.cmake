# Generates the parser from grammar/Net.g4 and keeps it, with the ANTLR runtime, in one library of its own:
# only compiler/syntax/parse.cpp includes what it makes. The runtime's headers want char8_t switched off in C++20.
find_program(ANTLR4_PROGRAM antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
find_library(ANTLR4_LIBRARY antlr4-runtime REQUIRED)

set(NETC_GRAMMAR_DIR ${CMAKE_BINARY_DIR}/grammar)
set(NETC_GRAMMAR_SOURCES
  ${NETC_GRAMMAR_DIR}/NetLexer.cpp ${NETC_GRAMMAR_DIR}/NetParser.cpp
  ${NETC_GRAMMAR_DIR}/NetVisitor.cpp ${NETC_GRAMMAR_DIR}/NetBaseVisitor.cpp)
add_custom_command(
  OUTPUT ${NETC_GRAMMAR_SOURCES}
  COMMAND ${ANTLR4_PROGRAM} -Dlanguage=Cpp -visitor -no-listener -package netc::grammar
          -Xexact-output-dir -o ${NETC_GRAMMAR_DIR} ${CMAKE_SOURCE_DIR}/grammar/Net.g4
  DEPENDS ${CMAKE_SOURCE_DIR}/grammar/Net.g4
  COMMENT "Generating the parser from grammar/Net.g4")
add_library(netc_grammar STATIC ${NETC_GRAMMAR_SOURCES})
target_include_directories(netc_grammar SYSTEM PUBLIC ${NETC_GRAMMAR_DIR} ${ANTLR4_INCLUDE})
target_compile_options(netc_grammar PUBLIC -fno-char8_t)
target_compile_options(netc_grammar PRIVATE -w $<$<CONFIG:Debug>:-O1>)
target_link_libraries(netc_grammar PUBLIC ${ANTLR4_LIBRARY})
