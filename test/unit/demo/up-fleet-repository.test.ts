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
      expect(fleet.isNew).toBe(true);
      await fleet.addFiles(new Map([["README.md", "# A fleet\n"]]), "Begin\n");
      const head = await fleet.git.fetchHead("main");
      await fleet.git.close();
      const again = await openFleetRepository(path, undefined);
      expect([again.isNew, await again.git.fetchHead("main")]).toEqual([false, head]);
      await again.git.close();
    },
  );
});
