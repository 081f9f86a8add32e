import process from "node:process";

/**
 * Arguments of `node` for processes of tests. V8's optimizing compiler takes a sixth of the processor time of a process that
 * lives for seconds, and such a process seldom repays it: with these, a function is optimized after 15 times the work. The V8 of
 * later versions of Node.js counts otherwise, and there no count saved what could be measured.
 */
export const optimizeLate: readonly string[] = process.versions.node.startsWith("20.")
  ? ["--interrupt-budget=1000000"]
  : [];
