import { describe, expect, it } from "vitest";
import { readTimeout } from "../../../../src/cli/commands/read-timeout.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

describe.each(["reconcile", "wait", "uninstall"] as const)("--timeout of %s", (command) => {
  const read = (timeout: string) => readTimeout(readSettings(command, { given: { timeout }, environment: {} }));

  it(`${command} waits as long as the option states`, () => {
    expect(read("7s")).toEqual({ timeout: "7s", timeoutMs: 7000 });
    expect(read("1h2m")).toEqual({ timeout: "1h2m", timeoutMs: 3_720_000 });
  });

  it.each(["soon", "0s", "-1s", ""])("is refused: %j", (timeout) => {
    expect(() => read(timeout)).toThrow(timeout === "" ? "--timeout is empty" : "is no duration such as 30s");
  });
});
