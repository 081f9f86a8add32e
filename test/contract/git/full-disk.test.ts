import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { failureOf, setUpHttp, statusRequest } from "./http-fixture.ts";

describe("the copy of a repository on a disk that is full", () => {
  it("F30 stays as it was, reports it, and continues as soon as there is room", async ({ skip }) => {
    const { folder, repository, open } = await setUpHttp();
    const disk = await mountSmallDisk(join(folder, "disk"), 512);
    if (!disk) return skip("only root may mount a small disk");
    onTestFinished(() => disk.remove());
    const first = await repository.commit({ files: { "a.yaml": "a: 1\n" } });
    const engine = await open({ cacheDir: join(disk.path, "cache") });
    expect(await engine.fetchHead("main")).toBe(first);

    await disk.fill();
    const second = await repository.commit({ files: { "b.bin": randomBytes(100_000).toString("hex") } });
    for (const attempt of [1, 2]) {
      expect(await failureOf(engine.fetchHead("main")), `attempt ${attempt}`).toMatchObject({
        code: "E_DISK_WRITE",
        recovery: "waiting",
        data: { reason: "ENOSPC" },
      });
    }
    expect(await engine.listFiles(first)).toMatchObject([{ path: "a.yaml" }]);
    await engine.close();
    await disk.fill();
    expect(await failureOf(open({ cacheDir: join(disk.path, "cache") }))).toMatchObject({ code: "E_DISK_WRITE" });

    await disk.free();
    const again = await open({ cacheDir: join(disk.path, "cache") });
    expect(await again.fetchHead("main")).toBe(second);
    expect(await again.listFiles(second)).toHaveLength(2);
    await again.commitAndPush(statusRequest(undefined, { a: "1" }));
  });
});
