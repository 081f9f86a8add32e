import { chmod, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeLooseObjects } from "../../../../src/git/local/loose-objects.ts";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import { PieceDeflater } from "../../../../src/git/objects/piece-deflater.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

it("stores loose objects for others to read only, and leaves those that are there", async () => {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const object = nameObject("blob", Buffer.from("content"), "sha1");
  const write = () => writeLooseObjects(folder, [object], { random: realRandom, deflater: new PieceDeflater() });
  await write();
  const path = join(folder, "objects", object.id.slice(0, 2), object.id.slice(2));
  expect((await stat(path)).mode & 0o777).toBe(0o444);
  await chmod(path, 0o644);
  await writeFile(path, "what another program stored");
  await write();
  expect(await readFile(path, "utf8")).toBe("what another program stored");
  expect(await readdir(join(folder, "objects"))).toEqual([object.id.slice(0, 2)]);
  await writeFile(join(folder, "objects", "ff"), "no folder");
  const other = { ...object, id: `ff${object.id.slice(2)}` };
  const failed = writeLooseObjects(folder, [other], { random: realRandom, deflater: new PieceDeflater() });
  await expect(failed).rejects.toMatchObject({ code: "ENOTDIR" });
});
