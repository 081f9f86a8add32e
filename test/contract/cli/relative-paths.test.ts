import { relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPlan } from "../../../src/cli/commands/plan.ts";
import { repositorySpec } from "../../../src/cli/commands/run.ts";
import { runValidate } from "../../../src/cli/commands/validate.ts";
import { readSettings } from "../../../src/settings/settings.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";

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

  it("is taken by run, and the hub gets the whole path: it refuses another", () => {
    const repo = here(repository.path);
    const spec = repositorySpec(readSettings("run", { given: { repo }, environment: {} }));
    expect(spec.url).toBe(resolve(repo));
    expect(spec.url).toBe(repository.path);
  });

  it.each(["https://git.example.com/fleet.git", "git@git.example.com:fleet.git", "file:///srv/fleet.git"])(
    "is none in %s, which run leaves as it is",
    (repo) => {
      expect(repositorySpec(readSettings("run", { given: { repo }, environment: {} })).url).toBe(repo);
    },
  );

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
