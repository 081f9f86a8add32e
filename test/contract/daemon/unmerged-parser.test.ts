import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultUnmergedLimits, openUnmergedParser } from "../../../src/daemon/unmerged/unmerged-parser.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { planMerge } from "../../../src/review/plan-merge.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { buildScript } from "../../support/build-script.ts";
import { createRepository } from "../../support/git-repositories.ts";

const root = join(import.meta.dirname, "../../..");
let folder: string;
let entry: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "unmerged-"));
  entry = pathToFileURL(await buildScript(join(root, "src/daemon/unmerged/parse-worker.ts"), folder));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const cluster = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: a\n";
const fill = (piece: string): string => piece.repeat(Math.floor((255 * 1024) / piece.length));
const bombs = ["---\n[\n", "- !a b\n", "{a: [", "- *a\n", "[", "kind: Cluster\n"].map(fill);

function contentOf(text: string, path = "a.yaml") {
  return { path, blobId: "1", bytes: new TextEncoder().encode(text) };
}

describe("A53 files of a branch that nobody merged", () => {
  it("are parsed while the main thread goes on", async () => {
    const parser = openUnmergedParser(entry);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const files = await Promise.all(
      bombs.flatMap((text) => [text, text, text]).map((text) => parser.parseFile(contentOf(text))),
    );
    delay.disable();
    await parser.close();
    expect(files.every(({ problems }) => problems.length > 0)).toBe(true);
    expect(delay.max / 1e6).toBeLessThan(200);
  });

  it.each([
    ["1 ms", { timeMs: 1 }],
    ["1000 bytes", { bytes: 1000 }],
    ["8 MiB of memory", { memoryMiB: 8 }],
  ])("are cut off at %s, with a problem for each", async (limit, changed) => {
    const parser = openUnmergedParser(entry, { ...defaultUnmergedLimits, ...changed });
    const files = await Promise.all(bombs.map((text) => parser.parseFile(contentOf(text))));
    await parser.close();
    const last = files.at(-1);
    expect(last?.problems.map(({ code, message }) => ({ code, message }))).toEqual([
      { code: "E_BRANCH_LIMIT", message: `the file was not read: the files of this branch take more than ${limit}` },
    ]);
    expect(last?.isUnidentified).toBe(true);
  });

  it("are named by the plan of the merge where they are cut off, and the thread ends with it", async () => {
    const repository = await createRepository(join(folder, "fleet.git"));
    const git = await openGitEngine({
      url: repository.path,
      cacheDir: join(folder, "git"),
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    });
    const mainId = await repository.commit({ files: { "a.yaml": cluster } });
    const head = await repository.commit({
      branch: "change",
      from: mainId,
      files: { "bomb.yaml": bombs[0] ?? "", "b.yaml": cluster.replace("name: a", "name: b") },
    });
    await git.fetchHead("main");
    await git.fetchHead("change");
    const source = sourceOptions(() => undefined);
    const main = await readSource(mainId, undefined, undefined, { git, ...source });
    const { plan } = await planMerge({
      git,
      source: {
        ...source,
        openUnmerged: () => openUnmergedParser(entry, { ...defaultUnmergedLimits, bytes: 100_000 }),
      },
      repository: {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Repository",
        metadata: { name: "r" },
        spec: { url: "https://git.example/fleet", defaultWorkspace: "fleet" },
      },
      checkFleet: fleetChecker("rollcall"),
      observed: { isComplete: true, get: () => undefined, list: () => [], isWorkspace: () => true },
      rememberedLabels: () => undefined,
      nowMs: 0,
      main,
      head,
    });
    expect(plan.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(["E_BRANCH_LIMIT bomb.yaml"]);
    await git.close();
  });
});
