import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import type { SourceOptions, SourceSnapshot } from "../../../src/review/read-source.ts";
import { filesInForce, readFilesBefore, readSource, secretsOf } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const fileOf = (name: string, spec = "{}"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: ${spec}\n`;
const broken = "{displayNmae: A}";
const files = { "a.yaml": fileOf("a"), "b.yaml": fileOf("b"), "README.md": "text" };

/** `read` reads a new commit of these files on top of what was read before. */
function open(options: Partial<SourceOptions> = {}) {
  const git = createMemoryGit();
  const scene: { paths: string[] | undefined } = { paths: undefined };
  const repository = () => ({ spec: { url: "memory", ...(scene.paths ? { paths: scene.paths } : {}) } }) as Repository;
  const source: SourceOptions = { git, ...sourceOptions(repository), ...options };
  const read = (contents: Readonly<Record<string, string>>, previous?: SourceSnapshot, base?: string) =>
    readSource(git.commit(contents, "Change\n"), previous, base, source);
  return { git, scene, source, read };
}

const namesOf = (parsed: readonly ParsedFile[]): string[] =>
  parsed.flatMap(({ documents }) => documents.map(({ object }) => object.metadata.name));

describe("readSource", () => {
  it("parses what is not the same as before", async () => {
    const { read } = open();
    const first = await read(files);
    expect([[...first.parsed.keys()], first.parsedCount]).toEqual([["a.yaml", "b.yaml"], 2]);
    const second = await read({ ...files, "b.yaml": fileOf("c") }, first);
    expect([second.parsedCount, second.parsed.get("a.yaml")]).toEqual([1, first.parsed.get("a.yaml")]);
    expect(namesOf([...second.parsed.values()])).toEqual(["a", "c"]);
  });

  it("takes over what was parsed earlier, where that is kept", async () => {
    const known = (await open().read(files)).parsed.get("a.yaml");
    const { read } = open({ recall: ({ path }) => (path === "a.yaml" ? known : undefined) });
    const { parsed, parsedCount } = await read(files);
    expect([parsedCount, parsed.get("a.yaml") === known]).toEqual([1, true]);
  });

  it("reads the same commit again only when other files are chosen", async () => {
    const { git, scene, source, read } = open();
    const first = await read(files);
    const again = () => readSource(git.ids.at(-1) ?? "", first, undefined, source);
    expect(await again()).toEqual({ ...first, parsedCount: 0 });
    scene.paths = ["b.yaml"];
    expect([...(await again()).parsed.keys()]).toEqual(["b.yaml"]);
  });

  it("reads no file of a commit that is too large, and reports its size", async () => {
    const { read } = open({ fits: () => false });
    const { parsed, files: chosen, pathProblems } = await read(files);
    expect([parsed.size, chosen.size]).toEqual([0, 0]);
    expect(pathProblems.map(({ code }) => code)).toEqual(["E_REPOSITORY_TOO_LARGE"]);
  });

  it.each([true, false])("reports JSON that the applied commit had, after a restart: %s", async (isKnown) => {
    const { git, read } = open();
    const text = JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "a" } });
    await read({ "a.json": text });
    const { parsed } = await read({ "a.json": "{" }, undefined, isKnown ? git.ids[0] : undefined);
    expect(parsed.get("a.json")?.problems.map(({ code }) => code)).toEqual(isKnown ? ["E_YAML"] : []);
  });

  it("names no choice of files where there is only one", async () => {
    const { git, source, read } = open();
    const { selection: _selection, ...others } = source;
    const first = await readSource((await read(files)).commit.id, undefined, undefined, others);
    expect(await readSource(git.ids[0] ?? "", first, undefined, others)).toEqual({ ...first, parsedCount: 0 });
  });

  it("leaves out what the list of ignored files names, and reports a path that is refused", async () => {
    const { read } = open();
    const { parsed, pathProblems, refusedPaths } = await read({
      ...{ ...files, ".rollcallignore": "b.yaml\n", "link.yaml": "-> a.yaml" },
    });
    expect([...parsed.keys()]).toEqual(["a.yaml"]);
    expect([pathProblems.length, refusedPaths]).toEqual([1, ["link.yaml"]]);
  });
});

describe("filesInForce", () => {
  it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, string[]]>([
    ["a file without errors as it is", files, { "a.yaml": fileOf("c") }, ["c"]],
    ["a broken document as it was", files, { "a.yaml": fileOf("a", broken) }, ["a"]],
    [
      "a good document as it is beside a broken one as it was",
      { "a.yaml": `${fileOf("a")}---\n${fileOf("b")}` },
      { "a.yaml": `${fileOf("a", broken)}---\n${fileOf("c")}` },
      ["c", "a"],
    ],
    [
      "each document once, though the file has an error",
      { "a.yaml": `${fileOf("a")}---\n${fileOf("b")}` },
      { "a.yaml": `${fileOf("a", "{displayName: New}")}---\n${fileOf("b", broken)}` },
      ["a", "b"],
    ],
    ["all that was good of a file that is no YAML", files, { "a.yaml": "kind: [" }, ["a"]],
    ["nothing of a file that was never good", { "b.yaml": fileOf("b") }, { "a.yaml": fileOf("a", broken) }, []],
  ])("gives %s", async (_what, before, after, expected) => {
    const { read } = open();
    const snapshot = await read(after, await read(before));
    expect(namesOf(filesInForce(snapshot))).toEqual(expected);
  });

  it("finds what was good in the applied commit after a restart", async () => {
    const { git, read } = open();
    await read(files);
    const snapshot = await read({ ...files, "a.yaml": fileOf("a", broken) }, undefined, git.ids[0]);
    expect(namesOf(filesInForce(snapshot))).toEqual(["a", "b"]);
  });
});

describe("readFilesBefore", () => {
  it("parses the files that changed since, and names those that were not read", async () => {
    const { git, source, read } = open();
    await read({ ...files, ".rollcallignore": "b.yaml\n" });
    const { changed, unread } = await readFilesBefore(git.ids[0] ?? "", new Set(["a.yaml", "b.yaml"]), source);
    expect(changed.map(({ path }) => path)).toEqual(["a.yaml"]);
    expect([...unread]).toEqual([".rollcallignore", "README.md", "b.yaml"]);
    expect((await readFilesBefore(git.ids[0] ?? "", new Set(), source)).changed).toEqual([]);
  });
});

describe("secretsOf", () => {
  it("names Secrets with their blobs, with and without a namespace", () => {
    const documentOf = (kind: string, apiVersion: string, metadata: object) => ({
      ...{ object: { kind, apiVersion, metadata }, blobId: "b1" },
    });
    const documents = [
      documentOf("Secret", "v1", { name: "s", namespace: "fleet" }),
      documentOf("Secret", "v1", { name: "t" }),
      documentOf("Secret", "other/v1", { name: "u" }),
      documentOf("Cluster", "v1", { name: "v" }),
    ];
    const snapshot = { parsed: new Map([["s.yaml", { documents }]]) } as unknown as SourceSnapshot;
    expect([...secretsOf(snapshot)]).toEqual([
      ["fleet/s", "b1"],
      ["t", "b1"],
    ]);
    expect(secretsOf(undefined).size).toBe(0);
  });
});
