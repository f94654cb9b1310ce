#include "c2rl/report/page_parts.h"

// The assembler reads both files as they are. C2RL_WEB_DIST is where they lie.
__asm__(R"(
  .section .rodata
  .global c2rl_page_script, c2rl_page_script_end, c2rl_page_style, c2rl_page_style_end
c2rl_page_script:
  .incbin ")" C2RL_WEB_DIST R"(/report.js"
c2rl_page_script_end:
c2rl_page_style:
  .incbin ")" C2RL_WEB_DIST R"(/report.css"
c2rl_page_style_end:
  .byte 0
  .text
)");

extern "C" {
extern const char c2rl_page_script[], c2rl_page_script_end[], c2rl_page_style[], c2rl_page_style_end[];
}

namespace c2rl {

std::string_view page_script() {
  return {c2rl_page_script, c2rl_page_script_end};
}

std::string_view page_style() {
  return {c2rl_page_style, c2rl_page_style_end};
}

}  // namespace c2rl
