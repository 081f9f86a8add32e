import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { locateRepository } from "../../../src/git/local/local-repository.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";

it("reports why a folder is no repository, and names the work tree that it is in", async () => {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const { path } = await createRepository(join(folder, "tree"), { isBare: false });
  const [nothing, file, inside] = [join(folder, "nothing"), join(path, "file"), join(path, "clusters/dev")];
  await mkdir(inside, { recursive: true });
  await writeFile(file, "");
  const root = await realpath(path);
  await expect(locateRepository(nothing)).rejects.toThrow(`open ${nothing}: it is not there`);
  await expect(locateRepository(file)).rejects.toThrow(`open ${file}: it is no folder`);
  await expect(locateRepository(inside)).rejects.toThrow(`it is a folder of the work tree ${root}; name that one`);
});
