import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { commands } from "../../../src/cli/program.ts";

const root = join(import.meta.dirname, "../../..");

it("offers hooks of pre-commit that call commands which take files", () => {
  const hooks = parse(readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8")) as { entry: string }[];
  const takingFiles = commands.filter((command) => command.arguments?.some(({ name }) => name === "[path...]"));
  expect(takingFiles.map(({ name }) => `rollcall ${name}`)).toEqual(hooks.map(({ entry }) => entry));
});
