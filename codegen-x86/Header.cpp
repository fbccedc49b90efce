// The C header of a program that is compiled ahead of time.

#include "codegen-x86/CNames.h"
#include "codegen-x86/Interface.h"
#include "codegen-x86/PacketMemory.h"
#include "llvm/ADT/StringExtras.h"

namespace karakal::x86 {

/// The interface with @ for the program's name and % for it in capitals.
static const char *const commonPart = R"(
/* The most frames that one call of @_batch gives out. */
enum { %_FRAMES_MAX = $ };

/* An Ethernet frame without CRC. Frames below 60 bytes are padded with zeros;
   those above 1,522 are dropped and counted as oversize. */
typedef struct {
  const uint8_t *data;
  uint32_t bytes;
  uint32_t port;    /* received on, 0 to 255; to be sent on, 0 to 3 */
  uint64_t time_ns; /* of a frame to send: that of its last received frame */
} @_frame;

/* Counts since @_init: frames that were accepted, and where they ended.
   received = forwarded + dropped + consumed. */
typedef struct {
  uint64_t received;
  uint64_t forwarded;   /* received frames that were sent */
  uint64_t dropped;     /* by the program, for one of its drop reasons */
  uint64_t consumed;    /* dropped by what a chip does on its XScale core */
  uint64_t copied;      /* packets that the program made */
  uint64_t transmitted; /* frames given out, packets that it made among them */
  uint64_t oversize;    /* not accepted: too long */
  uint64_t no_buffer;   /* not accepted: no free buffer */
} @_counts;

/* Chooses the multiplier of hash48, hash64 and hash128 by a secret of 128 bits,
   such as getrandom(2) gives. Nobody who does not know it can compute keys that
   fill one chain of a table. Comes before @_init. Without it the multiplier is
   that of bakerc --hash-key, or one that everybody knows. */
void @_set_hash_key(uint64_t high, uint64_t low);

/* Sets the program's data to their start. Comes before all other calls but
   @_set_hash_key. A
   program is one state: its functions must not run on two threads at a time. */
void @_init(void);

/* Runs `count` frames through the program in order. Writes the frames to send to
   `out`, which has room for %_FRAMES_MAX, and returns how many they are. They
   are valid until the next call. Until then each takes a buffer, of which there
   are %_FRAMES_MAX: a received frame that finds none is counted in `no_buffer`;
   where the program makes a packet and finds none, the process ends. */
uint32_t @_batch(const @_frame *in, uint32_t count, @_frame *out);

/* Code for a level of x86-64 (2, 3 or 4, as x86-64-v3): @_init takes the highest
   that this processor and the system run. This takes the highest that is at most
   `most`, from the next batch on, and returns it: 2 if there is none. */
uint32_t @_use_level(uint32_t most);

/* How many packets of a batch run in stages together, from the next batch on:
   at most `most`, of 1 to 256. Returns how many: 1, one after the other, if the
   program was compiled without stages (bakerc --sub-batch). */
uint32_t @_use_sub_batch(uint32_t most);

/* Tells the time, in nanoseconds of a clock of the caller that does not go back,
   and calls the program's timers that are due by then, each at most
   once: what it was due for before, it has missed. Frames that they send come
   with the next @_batch. The first call after @_init starts the clock. Returns
   when the next timer is due, UINT64_MAX without timers. Control functions see
   this time until a batch brings frames with another. */
uint64_t @_set_time(uint64_t ns);

void @_statistics(@_counts *counts);

/* Drop reasons by number: names, and packets dropped for each. */
uint32_t @_drop_reason_count(void);
const char *@_drop_name(uint32_t reason);
uint64_t @_drop_count(uint32_t reason);
)";

static std::string prototype(const ProgramInterface &program,
                             const ControlInterface &control) {
  std::vector<std::string> names, parameters;
  for (const auto &[name, type] : control.signature.params)
    names.push_back(name);
  names = cParameters(names);
  for (size_t i = 0; i < names.size(); ++i)
    parameters.push_back(cType(control.signature.params[i].type).spelling +
                         " " + names[i]);
  if (parameters.empty())
    parameters.push_back("void");
  return "uint32_t " + cName(program, control) + "(" +
         llvm::join(parameters, ", ") + ");\n";
}

std::string makeHeader(const ProgramInterface &program) {
  std::string name = cIdentifier(program.name);
  std::string capitals = llvm::StringRef(name).upper();
  std::string text = "/* The packet program " + program.name +
                     " for x86, compiled by bakerc. */\n\n#ifndef " + capitals +
                     "_H\n#define " + capitals +
                     "_H\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
                     "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const char *at = commonPart; *at; ++at) {
    if (*at == '@')
      text += name;
    else if (*at == '%')
      text += capitals;
    else if (*at == '$')
      text += std::to_string(target::BufferCount);
    else
      text += *at;
  }
  if (!program.controls.empty())
    text += "\n/* Control functions, between calls of " + name +
            "_batch. Those without a value of their\n   own return 0, or the "
            "program's error code. */\n";
  for (const ControlInterface &control : program.controls)
    text += prototype(program, control);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace karakal::x86
