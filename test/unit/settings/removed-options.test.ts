import { describe, expect, it } from "vitest";
import { removedOptions, refuseRemovedOptions } from "../../../src/settings/removed-options.ts";
import { optionTable } from "../../../src/settings/options.ts";

describe("refuseRemovedOptions", () => {
  it.each(removedOptions.flatMap(({ commands, name }) => commands.map((command) => ({ command, name }))))(
    "refuses $command --$name, and names an option that the command has",
    ({ command, name }) => {
      const refuse = (): void => refuseRemovedOptions(command, { [name]: "team" });
      expect(refuse).toThrow(`${command} has no option --${name}: use --`);
      const words = removedOptions.find((former) => former.commands.includes(command))?.instead ?? "";
      const offered = /use --([a-z-]+)/u.exec(words)?.[1];
      const isOf = (option: string) =>
        optionTable.some((entry) => entry.name === option && entry.commands.includes(command));
      expect([isOf(offered ?? ""), isOf(name)]).toEqual([true, false]);
    },
  );

  it("passes what a command has, and the same option of another command", () => {
    expect(() => refuseRemovedOptions("get", { workspace: "team" })).not.toThrow();
    expect(() => refuseRemovedOptions("status", { namespace: "rollcall-system" })).not.toThrow();
  });
});

describe("--namespace", () => {
  it("means one thing: the namespace of the daemon", () => {
    const texts = optionTable.filter(({ name }) => name === "namespace").map(({ description }) => description);
    expect(new Set(texts)).toEqual(new Set(["Namespace of the daemon and its Repository objects."]));
  });
});
