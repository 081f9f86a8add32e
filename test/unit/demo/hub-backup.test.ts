import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { restoreHub } from "../../../src/demo/hub-backup.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";

it("names a file that no hub can be made of, and what to do", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const place = (name: string) => join(folder.path, name);
  await writeFile(place("other"), "a file that is no backup of a hub, and longer than a checksum");
  await mkdir(place("folder"));
  const restore = (name: string) => restoreHub(place("state"), place(name));
  await expect(restore("other")).rejects.toMatchObject({
    code: "E_STORE_DAMAGED",
    message: `make a hub of ${place("other")}: read the backup: its checksum is wrong`,
    remedy: expect.stringContaining("rollcall hub --backup-file") as string,
  });
  await expect(restore("none")).rejects.toThrow(`read ${place("none")}: it is not there`);
  await expect(restore("folder")).rejects.toThrow(`read ${place("folder")}: it is a folder`);
});
