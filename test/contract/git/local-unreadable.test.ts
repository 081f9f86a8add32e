import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLocalEngine } from "../../../src/git/engine/local-engine.ts";
import { asOtherUser } from "../../support/as-other-user.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";

describe("the local engine", () => {
  it.each([
    { part: ".", isOpened: false },
    { part: "config", isOpened: false },
    { part: "refs/heads", isOpened: true },
    { part: "refs/heads/main", isOpened: true },
  ])("names $part of a repository that this user may not read, and not the network", async ({ part, isOpened }) => {
    const { path: folder, remove } = await makeTempFolder();
    onTestFinished(remove);
    await chmod(folder, 0o755);
    const repository = await createRepository(join(folder, "fleet"));
    await repository.commit({ files: { a: "1" } });
    const path = join(repository.path, part);
    await chmod(path, 0o000);
    const failure = await asOtherUser(async () => {
      const opening = openLocalEngine({ path: repository.path, clock: realClock, random: realRandom });
      if (!isOpened) return opening.catch((error: unknown) => error);
      return (await opening).listBranches().catch((error: unknown) => error);
    });
    await chmod(path, 0o755);
    expect(failure).toMatchObject({
      code: "E_READ",
      recovery: "transient",
      remedy: expect.stringContaining("ls -ld ") as string,
    });
  });
});
