import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import type { SelectOptions, TreeEntry } from "../../../src/manifests/select-files.ts";
import {
  findIgnoreFile,
  isManifestPath,
  maxFiles,
  maxIgnoreBytes,
  overlongIgnoreText,
  selectFiles,
  tooLargeFile,
} from "../../../src/manifests/select-files.ts";

function select(entries: readonly (string | TreeEntry)[], options: SelectOptions = {}) {
  const { files, problems } = selectFiles(
    entries.map((entry): TreeEntry => (typeof entry === "string" ? { path: entry, mode: "file" } : entry)),
    options,
  );
  return {
    paths: files.map(({ path }) => path),
    problems: problems.map(({ file, code, severity }) => `${file} ${code} ${severity}`),
  };
}

describe("selectFiles", () => {
  it("takes YAML and JSON files of every folder", () => {
    const paths = ["a.yaml", "b/c.yml", "b/d.json", ".github/e.yaml", "F.YAML"];
    expect(select([...paths, "README.md", "yaml", "a.yaml.bak", ".rollcallignore"])).toEqual({ paths, problems: [] });
  });

  it("leaves out what the ignore file lists", () => {
    const ignoreText = "\ufeff# templates\ntemplates/\r\n*.json\n!keep.json\n";
    const entries = ["a.yaml", "templates/a.yaml", "x/templates/b.yaml", "c.json", "keep.json"];
    expect(select(entries, { ignoreText })).toEqual({ paths: ["a.yaml", "keep.json"], problems: [] });
  });

  const whole = ["a.yaml", "clusters/b.yaml", "x/clusters/c.yaml", ".github/d.yaml"];
  it.each([
    [".", whole],
    ["./", whole],
    ["/", whole],
    ["./clusters", ["clusters/b.yaml"]],
    ["./clusters/", ["clusters/b.yaml"]],
    ["clusters/", ["clusters/b.yaml", "x/clusters/c.yaml"]],
    [".github", [".github/d.yaml"]],
  ])("takes the path %s as other projects do", (path, expected) => {
    expect(select(whole, { paths: [path] }).paths).toEqual(expected);
  });

  it("keeps to the paths of the repository", () => {
    const entries = ["clusters/a.yaml", "clusters/x/b.yaml", "tokens/c.yaml", "d.yaml", "other/clusters/e.yaml"];
    expect(select(entries, { paths: ["/clusters/", "*.yml", "tokens/*.yaml"] }).paths).toEqual([
      "clusters/a.yaml",
      "clusters/x/b.yaml",
      "tokens/c.yaml",
    ]);
  });

  it("A11 reports links to files, and links that may be folders as a warning", () => {
    const links = ["clusters/eu.yaml", "clusters/current", "README.md", ".hidden"];
    expect(select(links.map((path) => ({ path, mode: "link" })))).toEqual({
      paths: [],
      problems: ["clusters/eu.yaml E_SYMLINK error", "clusters/current E_SYMLINK warning", ".hidden E_SYMLINK warning"],
    });
    expect(select([{ path: "a.yaml", mode: "link" }], { ignoreText: "a.yaml" }).problems).toEqual([]);
  });

  it("warns of submodules", () => {
    expect(select([{ path: "vendor", mode: "submodule" }]).problems).toEqual(["vendor E_UNSUPPORTED warning"]);
  });

  it.each([
    "../a.yaml",
    "a/../b.yaml",
    "./a.yaml",
    "a//b.yaml",
    "/etc/a.yaml",
    "C:/a.yaml",
    ".git/a.yaml",
    "x/.GIT/config",
    "x/.git /config",
    "x/git~1/config",
    "x/.g\u200cit/config",
    "a\0.yaml",
  ])("A27 refuses %j, whatever kind of file it is and whatever is ignored", (path) => {
    expect(select([path, "good.yaml"], { ignoreText: "/x/\n/a/\n", paths: ["*.yaml"] })).toEqual({
      paths: ["good.yaml"],
      problems: [`${path} E_UNSAFE_PATH error`],
    });
  });

  it.each(["a\\b.yaml", "a\nb.yaml", "a\u001b[31m.yaml", "a\u202eb.yaml", "a\ufffd.yaml"])(
    "A27 refuses the file %j but minds no other file of such a name",
    (path) => {
      expect(select([path]).problems).toEqual([`${path} E_UNSAFE_PATH error`]);
      expect(select([path.replace(".yaml", ".txt")]).problems).toEqual([]);
    },
  );

  it("A27 refuses what the tree's reader marked", () => {
    expect(select([{ path: "a/b.yaml", mode: "file", isUnsafe: true }]).problems).toEqual([
      "a/b.yaml E_UNSAFE_PATH error",
    ]);
  });

  it("A13 refuses endless paths without walking down them", () => {
    const path = `${"a/".repeat(500_000)}b.yaml`;
    const { paths, problems } = select([path], { ignoreText: "x/**/y\n" });
    expect(paths).toEqual([]);
    expect(problems).toEqual([`${path.slice(0, 1024)} E_UNSAFE_PATH error`]);
  });

  it("A16 reads none of too many files, and reports how many problems it leaves out", () => {
    const many = Array.from({ length: maxFiles + 1 }, (_, index) => `${index}.yaml`);
    expect(select(many)).toEqual({ paths: [], problems: [". E_TOO_MANY_FILES error"] });
    expect(select(many.slice(1)).paths).toHaveLength(maxFiles);
    const links = Array.from({ length: 300 }, (_, index): TreeEntry => ({ path: `${index}.yaml`, mode: "link" }));
    const { problems } = selectFiles(links, {});
    expect(problems).toHaveLength(100);
    expect(problems.at(-1)?.message).toMatch(/and 200 more files have problems with their paths$/u);
  });

  it("A16 refuses an ignore file that is too large", () => {
    const { paths, problems } = select(["a.yaml"], { ignoreText: "a".repeat(maxIgnoreBytes + 1) });
    expect(paths).toEqual(["a.yaml"]);
    expect(problems).toEqual([".rollcallignore E_FILE_TOO_LARGE error"]);
  });
});

describe("A253 an ignore file whose patterns cost too much", () => {
  const many = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${index}/${"a".repeat(50)}.yaml`);
  const ignoreText = "*a*a*b\n0/\n".repeat(100);
  const selected = (paths: readonly string[], maximumSteps?: number) =>
    selectFiles(
      paths.map((path): TreeEntry => ({ path, mode: "file" })),
      { ignoreText },
      maximumSteps,
    );

  it("ignores nothing, and is an error", () => {
    const paths = many(100);
    expect(selected(paths).files).toHaveLength(99);
    const { files, problems, refused } = selected(paths, 10_000);
    expect(files).toHaveLength(100);
    expect(refused).toEqual([".rollcallignore"]);
    expect(problems).toMatchObject([
      {
        file: ".rollcallignore",
        code: "E_FILE_TOO_LARGE",
        severity: "error",
        message: "its patterns take too many comparisons with the paths of the repository; nothing is ignored",
      },
    ]);
  });

  it("costs nothing for files that are never read", () => {
    const others = Array.from({ length: 1000 }, (_, index) => `${"a".repeat(50)}${index}.ts`);
    expect(selected(others, 0).problems).toEqual([]);
  });

  it("ends within its bound, also for files that are deep down", () => {
    const deep = Array.from({ length: 20 }, (_, index) => `${"a/".repeat(500)}${index}.yaml`);
    const work = (): void => void selected([...deep, ...many(5000)], 1_000_000);
    expect(leastCpuMs(work, 1000)).toBeLessThan(1000);
  });
});

describe("selectFiles: at its limits", () => {
  const long = (length: number): string => `${"a".repeat(length - 5)}.yaml`;

  it("A13 reads a path of 1024 characters, and none that is longer", () => {
    expect(select([long(1024)])).toEqual({ paths: [long(1024)], problems: [] });
    expect(select([long(1025)]).paths).toEqual([]);
    const odd = (length: number): string => `${"ä".repeat(length - 5)}.yaml`;
    expect(select([odd(1024), odd(1025)]).paths).toEqual([odd(1024)]);
  });

  it("A16 reads an ignore file of 64 KiB, and takes a longer one for none", () => {
    const padded = (length: number): string => `a.yaml\n${"#".repeat(length - 7)}`;
    expect(select(["a.yaml"], { ignoreText: padded(maxIgnoreBytes) })).toEqual({ paths: [], problems: [] });
    expect(select(["a.yaml"], { ignoreText: padded(maxIgnoreBytes + 1) }).paths).toEqual(["a.yaml"]);
    expect(select([], { ignoreText: overlongIgnoreText }).problems).toEqual([".rollcallignore E_FILE_TOO_LARGE error"]);
  });

  it("names each file that it refuses, also where it shows only some problems", () => {
    const links = Array.from({ length: 101 }, (_, index): TreeEntry => ({ path: `${index}.yaml`, mode: "link" }));
    const { problems, refused } = selectFiles([...links, { path: "folder", mode: "link" }], {});
    expect(problems).toHaveLength(100);
    expect(refused).toEqual(links.map(({ path }) => path));
    expect(selectFiles(links.slice(1), {}).problems.at(-1)?.message).not.toContain("more files");
  });

  it("takes nothing of a submodule or a link that is ignored or outside of the paths", () => {
    const entries: TreeEntry[] = [
      { path: "vendor", mode: "submodule" },
      { path: "current", mode: "link" },
    ];
    expect(select(entries, { ignoreText: "vendor\ncurrent\n" })).toEqual({ paths: [], problems: [] });
    expect(select(entries, { paths: ["clusters"] })).toEqual({ paths: [], problems: [] });
  });

  it("A27 minds no marked file that is no YAML, unless its path itself is treacherous", () => {
    expect(select([{ path: "a.txt", mode: "file", isUnsafe: true }]).problems).toEqual([]);
    expect(select([".git/config"]).problems).toEqual([".git/config E_UNSAFE_PATH error"]);
    expect(select([".gitignore", "a/.github/b.yaml", "git/c.yaml", "..a/d.yaml"])).toEqual({
      paths: ["a/.github/b.yaml", "git/c.yaml", "..a/d.yaml"],
      problems: [],
    });
  });

  it.each<[TreeEntry["mode"], boolean]>([
    ["file", true],
    ["executable", true],
    ["link", false],
    ["submodule", false],
  ])("finds an ignore file that is a %s: %s", (mode, isFound) => {
    const entries: TreeEntry[] = [
      { path: "x/.rollcallignore", mode: "file" },
      { path: ".rollcallignore", mode },
    ];
    expect(findIgnoreFile(entries)).toBe(isFound ? entries[1] : undefined);
  });

  it("A187 reads neither a file nor an ignore file that its folder has more than once", () => {
    const entries: TreeEntry[] = [
      { path: ".rollcallignore", mode: "file", isUnsafe: true },
      { path: "a.yaml", mode: "file", isUnsafe: true },
      { path: "b.yaml", mode: "file" },
    ];
    expect(findIgnoreFile(entries)).toBeUndefined();
    const { files, refused } = selectFiles(entries, { ignoreText: "" });
    expect(files.map(({ path }) => path)).toEqual(["b.yaml"]);
    expect(refused).toEqual([".rollcallignore", "a.yaml"]);
  });

  it.each([
    ["a.yaml", true],
    ["a.YML", true],
    ["a.json", true],
    ["a.yaml.txt", false],
    ["ayaml", false],
    ["a.jsonl", false],
  ])("%s is a file that may declare something: %s", (path, isManifest) => {
    expect(isManifestPath(path)).toBe(isManifest);
  });
});

describe("selectFiles: what it reports", () => {
  const problem = { severity: "error", line: 1, column: 1 };

  it.each([
    ["a".repeat(1025), "it has more than 1024 characters"],
    ["a\\b.yaml", "it has a backslash"],
    ["a\nb.yaml", "it has a control character"],
    ["a\0.txt", "it has a control character"],
    ["a\ufffd.yaml", "it is not UTF-8"],
    ["x/git~12/config", "a part of it has a special meaning, or stands in its folder more than once"],
    ["C:a.yaml", "a part of it has a special meaning, or stands in its folder more than once"],
  ])("A27 reports why it did not read %j: %s", (path, reason) => {
    const message = `the file was not read because of its path: ${reason}`;
    const file = path.slice(0, 1024);
    expect(selectFiles([{ path, mode: "file" }], {}).problems).toEqual([
      { ...problem, file, code: "E_UNSAFE_PATH", message },
    ]);
  });

  it("A27 reads files whose paths only resemble those that it refuses", () => {
    const paths = ["a.git/b.yaml", "git~1x/c.yaml", "x~git~1/d.yaml", "x/C:e.yaml", "ab:f.yaml", "g../h.yaml"];
    expect(select(paths)).toEqual({ paths, problems: [] });
  });

  it("A11 warns of a link that may be a folder, also in a folder with a dot in its name", () => {
    expect(selectFiles([{ path: "a.b/current", mode: "link" }], {}).problems).toEqual([
      {
        ...problem,
        severity: "warning",
        file: "a.b/current",
        code: "E_SYMLINK",
        message: "this is a symbolic link; if it leads to a folder, the files there are not read through it",
      },
    ]);
  });

  it("A16 reports the problems that it leaves out at the last one that it shows", () => {
    const links = Array.from({ length: 103 }, (_, index): TreeEntry => ({ path: `${index}.yaml`, mode: "link" }));
    const { problems } = selectFiles(links, {});
    expect(problems.map(({ file }) => file)).toEqual(links.slice(0, 100).map(({ path }) => path));
    expect(problems.at(-1)?.message).toBe(
      "the file is a symbolic link; links are never followed; and 3 more files have problems with their paths",
    );
  });

  it("A16 reports how large an ignore file may be", () => {
    expect(selectFiles([], { ignoreText: overlongIgnoreText }).problems).toEqual([
      {
        ...problem,
        file: ".rollcallignore",
        code: "E_FILE_TOO_LARGE",
        message: "the file has more than 64 KiB; nothing is ignored",
        fix: "Use fewer, wider patterns.",
      },
    ]);
  });

  it("takes a byte order mark for one at the start of the ignore file only", () => {
    expect(select(["a.yaml", "b.yaml"], { ignoreText: "b.yaml\n\ufeffa.yaml\n" }).paths).toEqual(["a.yaml"]);
  });
});

describe("tooLargeFile", () => {
  it("is a file in which nothing was read", () => {
    expect(tooLargeFile("a.yaml", "b")).toEqual({
      path: "a.yaml",
      blobId: "b",
      text: "",
      documents: [],
      isUnidentified: true,
      brokenObjects: [],
      problems: [
        {
          severity: "error",
          file: "a.yaml",
          line: 1,
          column: 1,
          code: "E_FILE_TOO_LARGE",
          message: "the file has more than the 256 KiB that are read; nothing in it was checked",
          fix: "Split it into several files, or list it in .rollcallignore when it declares nothing of the fleet.",
        },
      ],
    });
  });
});
