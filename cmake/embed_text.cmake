# netc_embed_text(target FILE path SYMBOL name): the text of a file as `extern const char name[]` inside a library, so
# that what a command prints and what the documentation says are one text.
function(netc_embed_text target)
  cmake_parse_arguments(ARG "" "FILE;SYMBOL" "" ${ARGN})
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ARG_FILE})
  file(READ ${CMAKE_SOURCE_DIR}/${ARG_FILE} text)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/${ARG_SYMBOL}.cpp @ONLY
       CONTENT "extern const char @ARG_SYMBOL@[];\nconst char @ARG_SYMBOL@[] = R\"~~~(@text@)~~~\";\n")
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/embedded/${ARG_SYMBOL}.cpp)
endfunction()
