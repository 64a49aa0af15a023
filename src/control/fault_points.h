// Faults that a test turns on to see that it can fail. Only the program wherry_faulty, which is
// built beside the tests, has them: in every other one the answer is no, whatever the environment
// says. Any thread.
#pragma once

namespace wherry::control {

// WHERRY_FAULT=keep-changed-chunk-rows: a chunk keeps the rows that the stream changed after it was
// read, against the placing rule.
bool fault_keeps_changed_rows();

}  // namespace wherry::control
