import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { build } from "tsdown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { openLevelPersistence } from "../../../src/embedded-hub/store/level-persistence.ts";
import { openStore } from "../../../src/embedded-hub/store/open-store.ts";

/** More of them on demand: ROLLCALL_CRASH_ROUNDS=500. */
const rounds = Number(process.env["ROLLCALL_CRASH_ROUNDS"] ?? "12");
const roundTimeoutMs = 15_000;
// Inside the project, so that the native part of classic-level is found.
const scriptFolder = resolve(import.meta.dirname, `../../../node_modules/.cache/rollcall-store-crash-${process.pid}`);
let dir: string;

beforeAll(async () => {
  await mkdir(scriptFolder, { recursive: true });
  dir = await mkdtemp(join(tmpdir(), "rollcall-store-crash-"));
  await build({
    entry: { script: join(import.meta.dirname, "store-writer.ts") },
    outDir: scriptFolder,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    config: false,
    dts: false,
    clean: false,
  });
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await rm(scriptFolder, { recursive: true, force: true });
});

interface Acknowledged {
  readonly count: number;
  readonly revision: number;
}

/** Starts the writer, kills it in the middle of its work, and returns the newest acknowledged write of each name. */
async function writeUntilKilled(afterWrites: number): Promise<Map<string, Acknowledged>> {
  const child = spawn(process.execPath, [join(scriptFolder, "script.mjs"), dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  let lines = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    lines += chunk.split("\n").length - 1;
    if (lines >= afterWrites) child.kill("SIGKILL");
  });
  await new Promise((done) => child.once("close", done));
  const acknowledged = new Map<string, Acknowledged>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [name = "", count, revision] = line.split(" ");
    acknowledged.set(name, { count: Number(count), revision: Number(revision) });
  }
  return acknowledged;
}

describe("a store whose process is killed under load", () => {
  it(
    `has every acknowledged write, ${rounds} times over`,
    async () => {
      let lastRevision = 0;
      for (let round = 0; round < rounds; round += 1) {
        const acknowledged = await writeUntilKilled(1 + ((round * 37) % 250));
        expect(acknowledged.size).toBeGreaterThan(0);
        const persistence = await openLevelPersistence({ dir, owner: "the test" });
        const store = await openStore({ persistence, log: silentLog });
        for (const [name, { count, revision }] of acknowledged) {
          const stored = store.get(`//configmaps/default/${name}`);
          // A later write may have reached the disk, or only its delete.
          if (stored === undefined) expect(store.revision).toBeGreaterThan(revision);
          else expect(Number(stored.object.metadata.labels?.["count"])).toBeGreaterThanOrEqual(count);
          expect(store.revision).toBeGreaterThanOrEqual(revision);
        }
        expect(store.revision).toBeGreaterThan(lastRevision);
        lastRevision = store.revision;
        const seen: number[] = [];
        store.watch("/", store.compactedRevision, (event) => seen.push(event.revision));
        const kept = Array.from(
          { length: store.revision - store.compactedRevision },
          (_, index) => store.compactedRevision + 1 + index,
        );
        expect(seen).toEqual(kept);
        await store.close();
      }
    },
    rounds * roundTimeoutMs,
  );
});
