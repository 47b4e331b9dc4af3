# Puts a file into a program: a C source that defines its bytes and their number.

# sl_embed(FILE SYMBOL OUT_SOURCE): OUT_SOURCE becomes the path of a source that defines
# `const unsigned char SYMBOL[]` (a zero follows the last byte) and `const unsigned long SYMBOL_size`.
function(sl_embed file symbol out_source)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c")
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  file(CONFIGURE OUTPUT "${source}" CONTENT
       "extern const unsigned char @symbol@[];\nextern const unsigned long @symbol@_size;\nconst unsigned char @symbol@[] = {@bytes@0};\nconst unsigned long @symbol@_size = @size@;\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  set(${out_source} "${source}" PARENT_SCOPE)
endfunction()
