import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openParseCache } from "../../../src/work-tree/parse-cache.ts";
import { runValidate } from "../../../src/cli/commands/validate.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import { runGit } from "../../support/git-repositories.ts";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "parse-cache-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const clusterText = (name: string, more = ""): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${name}\n  labels: {env: prod}\nspec:\n  displayName: "ü ${name}"\n${more}`;

/** Writes files a while ago, so that git's index is younger than they are. */
function write(path: string, text: string): void {
  writeFileSync(join(dir, path), text);
  const before = new Date(Date.now() - 60_000);
  utimesSync(join(dir, path), before, before);
}

describe("openParseCache", () => {
  const parseFile = createFileParser();
  const parse = (path: string, text: string, blobId: string) =>
    parseFile({ path, blobId, bytes: new TextEncoder().encode(text) });
  const many = (count: number) =>
    Array.from({ length: count }, (_value, index) =>
      parse(`c-${index}.yaml`, clusterText(`c-${index}`), `id-${index}`),
    );

  it("gives files as they were parsed, for whatever path has the blob now", async () => {
    const escaped = clusterText("c-x").replace('"ü c-x"', '"\\xfc"');
    const files = [...many(120), parse("c-x.yaml", escaped, "id-x")];
    expect(files.at(-1)?.parsedPieces).toBeGreaterThan(0);
    const cache = await openParseCache(dir);
    for (const file of files) cache.keep(file);
    await cache.save();
    const again = await openParseCache(dir);
    for (const file of files) expect({ ...again.recall(file.path, file.blobId) }).toEqual(file);
    const moved = parse("other/name.yaml", clusterText("c-7"), "id-7");
    expect({ ...again.recall("other/name.yaml", "id-7") }).toEqual(moved);
    expect(again.recall("c-1.yaml", "id-unknown")).toBeUndefined();
  });

  it("keeps nothing that has more than its documents", async () => {
    const cache = await openParseCache(dir);
    cache.keep(parse("a.yaml", clusterText("a", "  oops: 1\n"), "bad"));
    cache.keep(parse("b.yaml", clusterText("b", "  # rollcall-ignore W_EMPTY_SELECTOR: later\n"), "commented"));
    cache.keep(parse("c.yaml", clusterText("c"), ""));
    // Comments in JSON are forgiven where a file is not ours: whether it was before, the cache does not know.
    cache.keep(parse("settings.json", '{"a": [1, }', "json"));
    expect(["bad", "commented", ""].map((id) => cache.recall("x.yaml", id))).toEqual([undefined, undefined, undefined]);
    expect(cache.recall("x.yaml", "json")).toBeUndefined();
    expect(cache.recall("other.json", "json")).toBeUndefined();
  });

  it("forgets what was not used, and files of other versions", async () => {
    writeFileSync(join(dir, "parsed-of-another-version"), "x");
    const cache = await openParseCache(dir);
    for (const file of many(120)) cache.keep(file);
    await cache.save();
    expect(readdirSync(dir)).toHaveLength(1);
    const next = await openParseCache(dir);
    for (let index = 1000; index < 1120; index++) next.keep(parse("new.yaml", clusterText("new"), `id-${index}`));
    next.recall("c-3.yaml", "id-3");
    await next.save();
    const last = await openParseCache(dir);
    expect(last.recall("c-3.yaml", "id-3")).toBeDefined();
    expect(last.recall("c-4.yaml", "id-4")).toBeUndefined();
  });

  it.each([
    { what: "empty", change: () => "" },
    { what: "cut off", change: (text: string) => text.slice(0, text.length / 3) },
    { what: "something else", change: () => "{}\n[1, 2" },
  ])("starts anew when its file is $what", async ({ change }) => {
    const cache = await openParseCache(dir);
    for (const file of many(120)) cache.keep(file);
    await cache.save();
    const [name = ""] = readdirSync(dir);
    writeFileSync(join(dir, name), change(readFileSync(join(dir, name), "latin1")), "latin1");
    expect((await openParseCache(dir)).recall("c-1.yaml", "id-1")).toBeUndefined();
  });

  it("reads no file that another user may have written", async () => {
    const cache = await openParseCache(dir);
    for (const file of many(120)) cache.keep(file);
    await cache.save();
    const [name = ""] = readdirSync(dir);
    chmodSync(join(dir, name), 0o660);
    expect((await openParseCache(dir)).recall("c-1.yaml", "id-1")).toBeUndefined();
    chmodSync(join(dir, name), 0o600);
    expect((await openParseCache(dir)).recall("c-1.yaml", "id-1")).toBeDefined();
  });

  it("costs nothing but time where nothing can be written", async () => {
    writeFileSync(join(dir, "file"), "");
    const cache = await openParseCache(join(dir, "file"));
    for (const file of many(120)) cache.keep(file);
    await cache.save();
    expect(cache.recall("c-1.yaml", "id-1")).toBeDefined();
  });
});

describe("validate in a work tree that was validated before", () => {
  const validate = async (options: Partial<Parameters<typeof runValidate>[0]> = {}): Promise<string> => {
    let text = "";
    await runValidate({ dir, isColour: false, out: (part) => (text += part), ...options });
    return text;
  };

  it("reports the same as a first run, whatever happened to the files in between", async () => {
    await runGit(dir, ["init", "-q", "-b", "main"]);
    for (let index = 0; index < 150; index++) write(`c-${index}.yaml`, clusterText(`c-${index}`));
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "x"]);
    const first = await validate();
    expect(existsSync(join(dir, ".git/rollcall"))).toBe(true);
    expect(await validate()).toBe(first);

    // Of the same length, with the time of before.
    write("c-3.yaml", clusterText("c-4"));
    write("c-5.yaml", `${clusterText("c-5")}colour: red\n`);
    rmSync(join(dir, "c-6.yaml"));
    const warm = await validate();
    expect(warm).toContain("c-3.yaml");
    expect(warm).toContain("E_DUPLICATE");
    expect(warm).toContain("c-5.yaml:8:1 E_UNKNOWN_FIELD");
    const warmSince = await validate({ changedSince: "main" });
    rmSync(join(dir, ".git/rollcall"), { recursive: true });
    expect(await validate({ isKept: false })).toBe(warm);
    expect(existsSync(join(dir, ".git/rollcall"))).toBe(false);
    expect(await validate({ changedSince: "main", isKept: false })).toBe(warmSince);
  });
});
