import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isNamed, locateNamedFiles } from "../../../src/work-tree/named-files.ts";
import { readIfThere } from "../../../src/work-tree/read-if-there.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
const at = (path: string) => join(folder.path, path);
beforeAll(async () => {
  folder = await makeTempFolder();
  for (const path of ["tree/.git", "tree/clusters/eu", "tree/groups", "plain/a", "plain/ab"])
    await mkdir(at(path), { recursive: true });
  for (const path of ["tree/clusters/eu/x.yaml", "tree/top.yaml", "plain/a/x.yaml", "plain/ab/y.yaml"])
    await writeFile(at(path), path);
});
afterAll(() => folder.remove());

describe("locateNamedFiles", () => {
  it.each([
    { given: ["tree/clusters"], dir: "tree/clusters", paths: undefined },
    { given: ["plain"], dir: "plain", paths: undefined },
    { given: ["tree/clusters/eu/x.yaml"], dir: "tree", paths: ["clusters/eu/x.yaml"] },
    { given: ["tree/clusters", "tree/groups"], dir: "tree", paths: ["clusters", "groups"] },
    { given: ["tree/clusters/eu", "tree/clusters"], dir: "tree", paths: ["clusters/eu", "clusters"] },
    { given: ["tree", "tree/top.yaml"], dir: "tree", paths: ["", "top.yaml"] },
    { given: ["plain/a/x.yaml"], dir: "plain/a", paths: ["x.yaml"] },
    { given: ["plain/a", "plain/ab"], dir: "plain", paths: ["a", "ab"] },
    { given: ["plain/ab/y.yaml", "plain/a"], dir: "plain", paths: ["ab/y.yaml", "a"] },
    { given: ["plain/a", "plain/a/x.yaml"], dir: "plain/a", paths: ["", "x.yaml"] },
  ])("finds for $given the folder $dir, and the parts $paths", async ({ given, dir, paths }) => {
    const found = await locateNamedFiles(given.map(at));
    expect(found).toEqual({ dir: at(dir), ...(paths ? { paths } : {}) });
  });

  it("takes the current folder where none is named", async () => {
    expect(await locateNamedFiles([])).toEqual({ dir: "." });
  });

  it("fails for what is not there", async () => {
    await expect(locateNamedFiles([at("none")])).rejects.toMatchObject({ code: "E_READ" });
    await expect(locateNamedFiles([at("tree"), at("none")])).rejects.toMatchObject({ code: "E_READ" });
  });
});

describe("isNamed", () => {
  it.each([
    { file: "clusters/a.yaml", paths: [""], isThere: true },
    { file: "clusters/a.yaml", paths: ["groups", "clusters"], isThere: true },
    { file: "clusters/a.yaml", paths: ["clusters/a.yaml"], isThere: true },
    { file: "clusters/a.yaml", paths: ["cluster"], isThere: false },
    { file: "clusters/a.yaml", paths: ["a.yaml", "groups"], isThere: false },
    { file: "clusters/a.yaml", paths: [], isThere: false },
  ])("of $file by $paths is $isThere", ({ file, paths, isThere }) => {
    expect(isNamed(file, paths)).toBe(isThere);
  });
});

describe("readIfThere", () => {
  it("reads a text, none where there is no file, and fails for a folder", async () => {
    expect(await readIfThere(at("plain/a/x.yaml"))).toBe("plain/a/x.yaml");
    expect(await readIfThere(at("plain/none/x.yaml"))).toBeUndefined();
    await expect(readIfThere(at("plain"))).rejects.toMatchObject({ code: "E_READ" });
  });
});
