import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const entry = join(import.meta.dirname, "../../bin/rollcall.js");
const folders = 100;
const inEach = 1000;

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "many-files-"));
  for (let folder = 0; folder < folders; folder++) {
    mkdirSync(join(dir, `team-${folder}`));
    for (let index = 0; index < inEach; index++) {
      const name = `c-${folder}-${index}`;
      writeFileSync(join(dir, `team-${folder}/${name}.yaml`), clusterText(name));
    }
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

interface Validated {
  readonly code: number | null;
  readonly text: string;
  /** What is printed beside the output. */
  readonly progress: string;
}

/** Runs validate with a bounded heap; resolves with its exit code and output. */
function validate(heapMib: number): Promise<Validated> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMib}`, entry, "validate", dir]);
    let [text, progress] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (progress += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text, progress }));
  });
}

describe("a repository of 100,000 files", () => {
  it("is checked within half a gigabyte", async () => {
    const { code, text, progress } = await validate(512);
    expect(text).toBe("100000 clusters in 100000 files: no problems\n");
    const tenths = Array.from({ length: 10 }, (_, index) => `Read ${(index + 1) * 10_000} of 100000 files\n`);
    expect(progress).toBe(tenths.join(""));
    expect(code).toBe(0);
  });

  it("is refused as a whole with one file more: half a fleet would be worse than none", async () => {
    writeFileSync(join(dir, "one-more.yaml"), clusterText("one-more"));
    const { code, text } = await validate(128);
    expect(text).toContain("E_TOO_MANY_FILES the repository has 100001 YAML and JSON files, at most 100000 are read");
    expect(code).toBe(1);
  });
});

function clusterText(name: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${name}\n  labels: {env: prod}\nspec:\n  displayName: Cluster ${name}\n`;
}
