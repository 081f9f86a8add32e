import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openGitEngine } from "../../../../src/git/engine/open-git-engine.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import { realClock, realRandom } from "../../../support/real-time.ts";

it.each([
  ["usual refs and ids", "", {}, false],
  ["ids by SHA-256", "[extensions]\n\tobjectformat = sha256\n", {}, true],
  ["refs in another form than files", "[extensions]\n\trefstorage = reftable\n", {}, true],
  ["usual refs and ids, where native git is asked for", "", { backend: "native" } as const, true],
])("a folder with %s is read in place, or by native git from a copy", async (...[, config, options, isCopied]) => {
  const { path, remove } = await makeTempFolder();
  onTestFinished(remove);
  const repository = await createRepository(join(path, "fleet.git"));
  const file = join(repository.path, "config");
  await writeFile(file, (await readFile(file, "utf8")) + config);
  const given = { url: repository.path, isLocalAllowed: true, cacheDir: join(path, "cache") };
  const engine = await openGitEngine({ ...given, clock: realClock, random: realRandom, ...options });
  expect((await readdir(path)).includes("cache")).toBe(isCopied);
  await engine.close();
});
