import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import type { FileParser } from "../../../src/manifests/parse-file.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import { readFolder } from "../../../src/work-tree/read-folder.ts";

const misspelt = (name: string): string =>
  `---\napiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${name}\nspec:\n  displayNmae: x\n`;

it("A16 locates places of problems only in files whose problems may be shown", () => {
  const dir = mkdtempSync(join(tmpdir(), "shown-places-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  // File names whose order in listings is not that of their code units.
  const names = Array.from({ length: 60 }, (_, index) => `${index % 2 === 0 ? "B" : "a"}-${index}.yaml`);
  for (const name of names) {
    const documents = Array.from({ length: 49 }, (_, index) => misspelt(`${name[0]?.toLowerCase()}-${index}`));
    writeFileSync(join(dir, name), documents.join(""));
  }
  const parse = createFileParser();
  const cheap: string[] = [];
  const counting: FileParser = (file, options) => {
    if (options?.places === "documents") cheap.push(file.path);
    return parse(file, options);
  };
  const shown = checkFleet(readFolder(dir, counting, undefined).files, {}).problems;
  const exact = checkFleet(readFolder(dir, (file) => parse(file), undefined).files, {}).problems;
  expect(shown).toHaveLength(2001);
  expect(shown).toEqual(exact);
  expect(cheap.length).toBeGreaterThan(15);
});

it("A68 parses no more than 1 MiB of texts again for places of problems", () => {
  const dir = mkdtempSync(join(tmpdir(), "shown-places-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const padding = `# ${"x".repeat(200 * 1024)}\n`;
  for (let index = 0; index < 10; index++)
    writeFileSync(join(dir, `f-${index}.yaml`), misspelt(`a-${index}`) + padding);
  const { files } = readFolder(dir, createFileParser(), undefined);
  const lines = files.map(({ problems }) => problems.map(({ code, line }) => ({ code, line })));
  const at = (line: number) => [{ code: "E_UNKNOWN_FIELD", line }];
  expect(lines).toEqual([...Array<unknown>(6).fill(at(7)), ...Array<unknown>(4).fill(at(2))]);
});

it("A68 reads no file of a folder whose files have too many pieces of syntax together", () => {
  const dir = mkdtempSync(join(tmpdir(), "many-pieces-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (let index = 0; index < 5; index++) writeFileSync(join(dir, `f-${index}.yaml`), misspelt(`a-${index}`));
  const parse = createFileParser();
  const read: string[] = [];
  const costly: FileParser = (file, options) => {
    read.push(file.path);
    return { ...parse(file, options), parsedPieces: 1_000_000 };
  };
  const { files, problems } = readFolder(dir, costly, undefined);
  expect(files).toEqual([]);
  expect(problems.map(({ code, file }) => ({ code, file }))).toEqual([{ code: "E_REPOSITORY_TOO_LARGE", file: "." }]);
  expect(read).toHaveLength(3);
});

it("A68 parses no more than 1 MiB of texts again for what is wrong across files", () => {
  const parse = createFileParser();
  const text = misspelt("same").replace("displayNmae", "displayName") + `# ${"x".repeat(200 * 1024)}\n`;
  const files = Array.from({ length: 10 }, (_, index) =>
    parse({ path: `f-${index}.yaml`, blobId: `${index}`, bytes: new TextEncoder().encode(text) }),
  );
  const lines = checkFleet(files, {}).problems.flatMap(({ code, line }) => (code === "E_DUPLICATE" ? [line] : []));
  expect(new Set(lines.slice(0, 6))).not.toContain(2);
  expect(lines.filter((line) => line === 2)).toHaveLength(lines.length - 6);
});
