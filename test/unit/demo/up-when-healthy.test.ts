import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Daemon } from "../../../src/daemon/wire-run.ts";
import { whenHealthy } from "../../../src/demo/up-when-healthy.ts";
import type { Step } from "../../../src/demo/up-progress.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";

type Ready = "True" | "False";

interface Scene {
  /** By name, the Ready condition of each cluster on the hub. */
  readonly onHub: Readonly<Record<string, Ready>>;
  readonly heartbeats: readonly string[];
  /** By name, the Ready condition of each cluster in the newest status commit; undefined: there is no commit. */
  readonly written?: Readonly<Record<string, Ready>>;
  readonly declared?: readonly string[];
}

const commit = "c".repeat(40);

function cluster(name: string, ready?: Ready): Cluster {
  const condition = {
    type: "Ready",
    status: ready ?? "False",
    reason: "Test",
    message: `${name} is not ready`,
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: "fleet" },
    spec: {},
    ...(ready === undefined ? {} : { status: { kubernetesVersion: "v1.34.4", conditions: [condition] } }),
  };
}

/** Whether clusters `a` and `b` are healthy within three reads of the hub, and the steps that were shown last. */
async function readThrice({ onHub, heartbeats, written, declared = ["a", "b"] }: Scene) {
  const stop = new AbortController();
  const shown: (readonly Step[])[] = [];
  const records = Object.entries(written ?? {}).map(([name, status]) => ({
    path: `clusters/fleet/${name}.yaml`,
    blobId: name,
    content: stringify({ kind: "ClusterRecord", conditions: [{ type: "Other" }, { type: "Ready", status }] }),
  }));
  const git: Pick<GitEngine, "listFiles" | "readBlob"> = {
    listFiles: async (id, paths) => {
      expect([id, paths]).toEqual([commit, ["clusters"]]);
      return records.map(({ path, blobId }) => ({ path, blobId, mode: "file" as const }));
    },
    readBlob: async (blobId) => Buffer.from(records.find((record) => record.blobId === blobId)?.content ?? ""),
  };
  const daemon = {
    view: {
      get: ({ name }: { readonly name: string }) => (name in onHub ? cluster(name, onHub[name]) : undefined),
    },
    health: { lastHeartbeatMs: (key: string) => (heartbeats.some((name) => key === `fleet/${name}`) ? 1 : undefined) },
  } as unknown as Daemon;
  const status = written === undefined ? {} : { statusCommit: commit };
  const isHealthy = await whenHealthy({
    daemon,
    repository: {
      read: () => ({ status }) as unknown as Repository,
      record: (repository) => repository,
      onChange: () => undefined,
      onNews: () => undefined,
      stop: async () => undefined,
    },
    git: git as GitEngine,
    clusters: [cluster("a"), cluster("b")],
    declared: declared.map((name) => cluster(name)),
    progress: {
      print: () => undefined,
      show: (steps) => {
        shown.push(steps);
        if (shown.length === 4) stop.abort();
      },
      end: () => undefined,
      close: () => undefined,
    },
    signal: stop.signal,
  }).then(
    () => true,
    () => false,
  );
  return { isHealthy, steps: shown.at(-1)?.map(({ cluster: name, detail }) => `${name}: ${detail}`) };
}

const [bothReady, bothBeat] = [{ a: "True", b: "True" }, ["a", "b"]] as const;
const done = (name: string): string => `fleet/${name}: v1.34.4`;

describe("whenHealthy", () => {
  it.each<Scene & { readonly reason: string; readonly steps: readonly string[] }>([
    {
      reason: "each is Ready, has sent a heartbeat, and is Ready in the status commit",
      onHub: bothReady,
      heartbeats: bothBeat,
      written: bothReady,
      steps: [done("a"), done("b")],
    },
    {
      reason: "one that no file declares is no longer on the hub",
      onHub: { a: "True" },
      heartbeats: ["a"],
      written: { a: "True" },
      declared: ["a"],
      steps: [done("a")],
    },
  ])("resolves when $reason", async ({ steps, ...scene }) => {
    expect(await readThrice(scene)).toEqual({ isHealthy: true, steps });
  });

  it.each<Scene & { readonly reason: string; readonly steps: readonly string[] }>([
    {
      reason: "one that is declared is not on the hub",
      onHub: { a: "True" },
      heartbeats: ["a"],
      written: { a: "True" },
      steps: [done("a"), "fleet/b: not on the hub yet"],
    },
    {
      reason: "one that no file declares is on the hub, and not Ready",
      onHub: { a: "True", b: "False" },
      heartbeats: bothBeat,
      written: bothReady,
      declared: ["a"],
      steps: [done("a"), "fleet/b: b is not ready"],
    },
    {
      reason: "one has sent no heartbeat to this process",
      onHub: bothReady,
      heartbeats: ["a"],
      written: bothReady,
      steps: [done("a"), "fleet/b: waiting for its next heartbeat"],
    },
    { reason: "there is no status commit", onHub: bothReady, heartbeats: bothBeat, steps: [done("a"), done("b")] },
    {
      reason: "the status commit has no record of one",
      onHub: bothReady,
      heartbeats: bothBeat,
      written: { a: "True" },
      steps: [done("a"), done("b")],
    },
    {
      reason: "one is not Ready in the status commit",
      onHub: bothReady,
      heartbeats: bothBeat,
      written: { a: "True", b: "False" },
      steps: [done("a"), done("b")],
    },
  ])("waits while $reason", async ({ steps, ...scene }) => {
    expect(await readThrice(scene)).toEqual({ isHealthy: false, steps });
  });
});
