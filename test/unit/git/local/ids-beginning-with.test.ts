import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsBeginningWith } from "../../../../src/git/local/ids-beginning-with.ts";
import { locateRepository } from "../../../../src/git/local/local-repository.ts";
import { createRepository, makeTempFolder, runGit } from "../../../support/git-repositories.ts";

describe("idsBeginningWith", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  beforeAll(async () => {
    folder = await makeTempFolder();
  });
  afterAll(() => folder.remove());

  it.each(["sha1", "sha256"])("finds each object by %s, loose, packed and borrowed, and no other", async (format) => {
    const repository = await createRepository(join(folder.path, format), { objectFormat: format });
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}`, `${index}`]));
    await repository.commit({ files });
    const clone = join(folder.path, `clone-${format}`);
    await runGit(folder.path, ["clone", "-q", "--bare", "--shared", repository.path, clone]);
    const all = await repository.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
    const ids = all.trim().split("\n");
    for (const step of ["loose", "packed"]) {
      if (step === "packed") await repository.git("gc", "-q");
      for (const path of [repository.path, clone]) {
        const place = await locateRepository(path);
        for (const beginning of ["00", "ff", ids[0] ?? "", ids.at(-1)?.slice(0, 9) ?? ""])
          expect(idsBeginningWith(beginning, place).sort()).toEqual(ids.filter((id) => id.startsWith(beginning)));
      }
    }
  });
});
