import { expect, it } from "vitest";
import { hasNextCommand } from "../../../src/system/has-next-command.ts";

it.each([
  [{}, true],
  [{ CI: "true" }, false],
  [{ CI: "" }, false],
])("of environment %j, a later command may use what is kept: %j", (environment, expected) => {
  expect(hasNextCommand(environment)).toBe(expected);
});
