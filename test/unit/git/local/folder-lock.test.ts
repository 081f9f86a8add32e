import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lockFolder, temporaryName } from "../../../../src/git/local/folder-lock.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

it("takes a folder for one owner until it is released", async () => {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const locked = join(folder, "new", "cache");
  const release = await lockFolder(locked, realRandom);
  expect((await stat(locked)).mode & 0o777).toBe(0o700);
  await expect(lockFolder(locked, realRandom)).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
  await release();
  await (
    await lockFolder(locked, realRandom)
  )();
  expect(await readdir(locked)).toEqual([]);
  expect(temporaryName({ ...realRandom, bytes: (size) => new Uint8Array(size).fill(255) })).toBe(
    "tmp-ffffffffffffffff",
  );
});
