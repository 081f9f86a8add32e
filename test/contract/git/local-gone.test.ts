import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLocalEngine } from "../../../src/git/engine/local-engine.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { request } from "./local-request.ts";

describe("the local engine", () => {
  it("names a repository that has gone, as with its volume, and writes nothing where it was", async () => {
    const { path: folder, remove } = await makeTempFolder();
    onTestFinished(remove);
    const repository = await createRepository(join(folder, "fleet"));
    const first = await repository.commit({ files: { a: "1" } });
    const second = await repository.commit({ files: { a: "2" } });
    const engine = await openLocalEngine({ path: repository.path, clock: realClock, random: realRandom });
    const status = await engine.commitAndPush(request("status", undefined, { s: "1" }));
    await rename(repository.path, join(folder, "gone"));
    // Where a volume was, an empty folder stays.
    await mkdir(repository.path);
    const gone = {
      code: "E_GIT_REMOTE",
      recovery: "transient",
      message: expect.stringContaining("it is not there") as string,
    };
    for (const attempt of [
      () => engine.fetchHead("main"),
      () => engine.listFiles(second),
      () => engine.listBranches(),
      () => engine.commitAndPush(request("status", status, { s: "2" })),
      () => engine.commitAndPush(request("new", undefined, { s: "2" })),
      () => engine.moveBranch({ branch: "new", from: undefined, to: first }),
      () => engine.deleteBranch("status", status),
    ])
      await expect(attempt()).rejects.toMatchObject(gone);
    expect(await readdir(repository.path)).toEqual([]);

    await rm(repository.path, { recursive: true });
    await expect(engine.fetchHead("main")).rejects.toMatchObject(gone);
    await rename(join(folder, "gone"), repository.path);
    expect(await engine.fetchHead("main")).toBe(second);
    await engine.commitAndPush(request("status", status, { s: "2" }));
    await repository.assertSound();
  });
});
