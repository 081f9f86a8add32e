import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPlan } from "../../../src/cli/commands/plan.ts";
import { repositorySpec } from "../../../src/cli/commands/repository-spec.ts";
import { runAddToken } from "../../../src/cli/commands/add-token.ts";
import { runInit } from "../../../src/cli/commands/init.ts";
import { runValidate, runValidateCommand } from "../../../src/cli/commands/validate.ts";
import { optionTable } from "../../../src/settings/options.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { runCommand } from "../../support/plain-context.ts";

describe("a folder that is given by its path from the current one", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let base: string;
  beforeAll(async () => {
    folder = await makeTempFolder();
    repository = await createRepository(`${folder.path}/fleet.git`);
    const file = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c1, namespace: fleet}\nspec: {}\n";
    base = await repository.commit({ files: { "readme.txt": "a fleet" } });
    await repository.commit({ files: { "c1.yaml": file } });
  });
  afterAll(() => folder.remove());

  const here = (path: string): string => relative(process.cwd(), path);
  const sink = { write: () => undefined };
  /** Each form of a folder's path, with the environment that it is read in. */
  const forms = [
    ["the whole path", (path: string) => ({ text: path, environment: {} })],
    ["a path from the current folder", (path: string) => ({ text: here(path), environment: {} })],
    ["a slash at the end", (path: string) => ({ text: `${path}//`, environment: {} })],
    ["~", (path: string) => ({ text: `~/${basename(path)}`, environment: { HOME: dirname(path) } })],
    ["file://", (path: string) => ({ text: `file://${path}`, environment: {} })],
    ["file:// and a slash at the end", (path: string) => ({ text: `file://${path}/`, environment: {} })],
  ] as const;

  describe.each(forms)("and written as %s", (_name, formOf) => {
    it("is the same repository for run and plan", async () => {
      const { text: repo, environment } = formOf(repository.path);
      const spec = repositorySpec(readSettings("run", { given: { repo }, environment }));
      expect(spec.url).toBe(repository.path);
      let text = "";
      const code = await runPlan({
        settings: readSettings("plan", { given: { repo, offline: true, base }, environment }),
        environment: { CI: "true" },
        signal: new AbortController().signal,
        stdout: { write: (part) => (text += part) },
        stderr: sink,
      });
      expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining("Creates 1 cluster") as string });
    });

    it("is the same folder for init, validate and add token", async () => {
      const path = join(folder.path, `work-${forms.findIndex(([, form]) => form === formOf)}`);
      const { text, environment } = formOf(path);
      expect(await runCommand("init", runInit, { args: [text], environment })).toMatchObject({ code: 0 });
      expect(existsSync(join(path, "README.md"))).toBe(true);
      const added = { args: ["more"], options: { dir: text }, environment };
      expect(await runCommand("add token", runAddToken, added)).toMatchObject({ code: 0 });
      expect(existsSync(join(path, "tokens/fleet/more.yaml")) || existsSync(join(path, "tokens/more.yaml"))).toBe(true);
      const settings = readSettings("validate", { given: {}, environment });
      expect(await runValidateCommand({ settings, args: [text], environment, stdout: sink })).toBe(0);
    });

    it("is the same place for each option that names a file or folder", () => {
      const path = join(folder.path, "place");
      const places = optionTable.filter(({ value }) => ["file", "folder", "path"].includes(value ?? ""));
      expect(places.length).toBeGreaterThan(20);
      const { text, environment } = formOf(path);
      for (const { name, commands } of places)
        for (const command of commands)
          expect(
            resolve(readSettings(command, { given: { [name]: text }, environment }).requiredText(name)),
            `${command} --${name}`,
          ).toBe(path);
    });
  });

  it("is taken by run, and the hub gets the whole path: it refuses another", () => {
    const repo = here(repository.path);
    const spec = repositorySpec(readSettings("run", { given: { repo }, environment: {} }));
    expect(spec.url).toBe(resolve(repo));
    expect(spec.url).toBe(repository.path);
  });

  it.each([
    "https://git.example.com/fleet.git",
    "git@git.example.com:fleet.git",
    "ssh://git@git.example.com/fleet.git",
  ])("is none in %s, which run leaves as it is", (repo) => {
    expect(repositorySpec(readSettings("run", { given: { repo }, environment: {} })).url).toBe(repo);
  });

  it("is taken by plan", async () => {
    let text = "";
    const given = { repo: here(repository.path), offline: true, base };
    const code = await runPlan({
      settings: readSettings("plan", { given, environment: {} }),
      environment: { CI: "true" },
      signal: new AbortController().signal,
      stdout: { write: (part) => (text += part) },
      stderr: { write: () => undefined },
    });
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining("Creates 1 cluster") as string });
  });

  it("is taken by validate", async () => {
    let text = "";
    const options = { dir: here("examples-repo"), isColour: false, isKept: false };
    expect(await runValidate({ ...options, out: (part) => (text += part) })).toBe(0);
    expect(text).toContain("no problems");
  });
});
