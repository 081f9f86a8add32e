import { expect, it } from "vitest";
import { isColourful } from "../../../../src/cli/render/is-colourful.ts";

it.each<[string, { isTTY?: boolean }, Readonly<Record<string, string>>, boolean]>([
  ["a terminal", { isTTY: true }, { TERM: "xterm-256color" }, true],
  ["a terminal of an unknown kind", { isTTY: true }, {}, true],
  ["a terminal without colours", { isTTY: true }, { TERM: "dumb" }, false],
  ["a terminal of a user who wants none", { isTTY: true }, { NO_COLOR: "1" }, false],
  ["a terminal with an empty NO_COLOR", { isTTY: true }, { NO_COLOR: "" }, true],
  ["a file", {}, { TERM: "xterm-256color" }, false],
])("decides whether %s gets colours", (_what, stdout, environment, expected) => {
  expect(isColourful(stdout, environment)).toBe(expected);
});
