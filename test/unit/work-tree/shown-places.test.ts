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

it("A16 looks for places of problems only in files whose problems may be shown", () => {
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
