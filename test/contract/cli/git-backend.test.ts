import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRepository } from "../../../src/daemon/open-repository.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import { setUpHttp } from "../git/http-fixture.ts";

describe("--git-backend", () => {
  it.each(["run", "plan"] as const)("native has %s read what only the git program can read", async (command) => {
    const { folder, repository, server } = await setUpHttp({ objectFormat: "sha256" });
    const head = await repository.commit({ files: { a: "1" } });
    const url = server.urlOf("fleet.git");
    const readHead = async (backend: string) => {
      const given = { "git-backend": backend, "cache-dir": join(folder, backend) };
      const git = await openRepository(readSettings(command, { given, environment: {} }), url, {});
      onTestFinished(() => git.close());
      return git.fetchHead("main");
    };
    await expect(readHead("auto")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    expect(await readHead("native")).toBe(head);
  });
});
