import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFleetRepository } from "../../../src/demo/up-fleet-repository.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";

describe("openFleetRepository", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  beforeEach(async () => {
    folder = await makeTempFolder();
  });
  afterEach(() => folder.remove());

  it.each([["hooks"], ["hooks", "objects/info", "objects/pack", "refs/heads"]])(
    "makes the rest of a repository of which a process that was killed made a part: %s ...",
    async (...made) => {
      const path = join(folder.path, "fleet.git");
      for (const part of made) await mkdir(join(path, part), { recursive: true });
      // It is written last but one.
      if (made.length > 1) await writeFile(join(path, "config"), "[core]\n\trepositoryformatversion = 0\n");
      const fleet = await openFleetRepository(path, undefined);
      expect(fleet.isUntouched).toBe(true);
      await fleet.addFiles(new Map([["README.md", "# A fleet\n"]]), "Begin\n");
      const head = await fleet.git.fetchHead("main");
      await fleet.git.close();
      const again = await openFleetRepository(path, undefined);
      expect([again.isUntouched, await again.git.fetchHead("main")]).toEqual([true, head]);
      await again.git.close();
    },
  );

  it("is untouched until a user commits, so that a start which was killed between its commits makes the rest", async () => {
    const path = join(folder.path, "fleet.git");
    const fleet = await openFleetRepository(path, undefined);
    await fleet.addFiles(new Map([["a", "1"]]), "Start the fleet\n");
    await fleet.addFiles(new Map([["b", "1"]]), "Add 1 cluster\n");
    const open = async () => {
      const opened = await openFleetRepository(path, undefined);
      await opened.git.close();
      return opened.isUntouched;
    };
    expect(await open()).toBe(true);
    await fleet.git.commitAndPush({
      branch: "main",
      parent: await fleet.git.fetchHead("main"),
      changes: new Map([["a", null]]),
      message: "Remove a\n",
      author: { name: "You", email: "you@example.com" },
      committedAtMs: 0,
    });
    expect(await open()).toBe(false);
    await fleet.addFiles(new Map([["b", "2"]]), "Add 1 cluster\n");
    expect(await open()).toBe(false);
    await fleet.git.close();
  });
});
