/**
 * Contract tests that measure the memory, the processor time or the open files of their own process. Each of them has a process
 * of its own, since what an earlier file left on the heap would hide what it measures. test/rules/measuring-files.test.ts finds
 * those that are missing here.
 */
export const measuringFiles: readonly string[] = [
  "test/contract/core/hostile-members.test.ts",
  "test/contract/embedded-hub/connections.test.ts",
  "test/contract/embedded-hub/http-input.test.ts",
  "test/contract/embedded-hub/load.test.ts",
  "test/contract/embedded-hub/stranger-flood.test.ts",
  "test/contract/embedded-hub/strangers.test.ts",
  "test/contract/embedded-hub/unread-answers.test.ts",
  "test/contract/embedded-hub/unread-bodies.test.ts",
  "test/contract/git/many-refs.test.ts",
  "test/contract/git/native-bombs.test.ts",
];
