import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openRepository } from "../../../src/daemon/open-repository.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";

describe("openRepository", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let server: Awaited<ReturnType<typeof startGitHttpServer>>;
  let url: string;
  let head: string;

  beforeAll(async () => {
    folder = await makeTempFolder();
    const repository = await createRepository(join(folder.path, "fleet.git"));
    head = await repository.commit({ files: { a: "1" } });
    server = await startGitHttpServer({ root: dirname(repository.path) });
    url = server.urlOf(basename(repository.path));
  });
  afterAll(async () => {
    await server.close();
    await folder.remove();
  });

  const open = async (home: string, given: Readonly<Record<string, string>> = {}): Promise<GitEngine> => {
    const environment = { HOME: join(folder.path, home) };
    const git = await openRepository(readSettings("plan", { given, environment }), url, environment);
    onTestFinished(() => git.close());
    return git;
  };
  const copiesOf = async (home: string) => (await readdir(join(folder.path, home, ".cache/rollcall"))).sort();

  it("gives each of several processes of a user a copy of its own, and the next one the first that is free", async () => {
    const opened = await Promise.all([open("home"), open("home"), open("home")]);
    expect(await Promise.all(opened.map((git) => git.fetchHead("main")))).toEqual([head, head, head]);
    const [first = ""] = await copiesOf("home");
    expect(await copiesOf("home")).toEqual([first, `${first}-2`, `${first}-3`]);
    await opened[1]?.close();
    await open("home");
    expect(await copiesOf("home")).toHaveLength(3);
  });

  it("refuses a folder that is named and in use, and a copy more than there may be", async () => {
    const given = { "cache-dir": join(folder.path, "named") };
    await open("other", given);
    await expect(open("other", given)).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    for (let count = 0; count < 16; count += 1) await open("full");
    await expect(open("full")).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    expect(await copiesOf("full")).toHaveLength(16);
  });
});
