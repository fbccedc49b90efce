# cmake -DINPUT=FILE -DOUTPUT=FILE -P EmbedFile.cmake: writes the bytes of a file
# as a list of numbers that a C++ array can include.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
  "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "${bytes}\n")
