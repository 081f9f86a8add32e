import { describe, expect, it } from "vitest";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { ensureTrustKey } from "../../../src/hub/trust-key.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { restoreFleet, restoreSettings } from "../../../src/recovery/restore-fleet.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import { makeTrustKey } from "../../support/trust-key.ts";

const namespace = "rollcall";
const { signal } = new AbortController();
const keys = [{ digest: `sha256:${"ab".repeat(32)}`, signingKey: "s", sealingKey: "s" }];

interface Scene {
  /** Namespaces of the hub, with their labels. */
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Where the recorded cluster `a` is. */
  readonly workspace?: string;
  readonly record?: object;
  readonly isUnsignedAccepted?: boolean;
}

/** Restores one cluster from an unsigned status branch, onto a hub with its trust key. */
async function restore({ namespaces = {}, workspace = "fleet", record = {}, isUnsignedAccepted = true }: Scene) {
  const live = Object.entries(namespaces).map(([name, labels]): KubeObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels },
  }));
  const { api: hubApi } = createSimulatedHub([...crds, ...live], () => 0);
  const endpoint = { url: "https://hub", caBundle: "ca" };
  const { trust } = await ensureTrustKey({ hubApi, namespace, endpoint, nowMs: 0, makeKey: makeTrustKey });
  const metadata = { name: "a", namespace: workspace };
  const cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRecord",
    metadata,
    protocol: "rollcall",
    keys,
    ...record,
  };
  const summary = { kind: "FleetSummary", metadata: { name: "fleet" }, hub: { trustKey: trust.publicKey, epoch: 1 } };
  const files = new Map([
    [`clusters/${workspace}/a.yaml`, toYamlFile(cluster).content],
    ["summary.yaml", toYamlFile(summary).content],
  ]);
  const git = {
    url: "https://git.example.com/fleet",
    fetchHead: async () => "head",
    readCommit: async (id: string) => ({ id, parents: [] }),
    listFiles: async (_: string, paths?: readonly string[]) =>
      [...files.keys()]
        .filter((path) => paths?.includes(path) ?? true)
        .map((path) => ({ path, mode: "file", blobId: path })),
    readBlob: async (path: string) => Buffer.from(files.get(path) ?? ""),
  } as unknown as GitEngine;
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log: Log = { ...silentLog, info: note, warn: note };
  const target = { hubApi, git, namespace, name: "fleet", branch: "rollcall/status" };
  const done = restoreFleet({ ...target, isUnsignedAccepted, log, signal });
  const restored = () => hubApi.get({ type: resourceTypes.cluster, namespace: workspace, name: "a" });
  return { done, restored, lines };
}

const isWorkspace = { "rollcall.dev/workspace": "true" };

describe("restoreFleet from a branch that is not signed", () => {
  it.each<{ where: string; scene: Scene }>([
    { where: "a namespace that the hub has lost", scene: {} },
    { where: "a workspace", scene: { namespaces: { fleet: isWorkspace } } },
  ])("restores a cluster of $where", async ({ scene }) => {
    const { done, restored } = await restore(scene);
    await done;
    expect(await restored()).toBeDefined();
  });

  it.each<{ where: string; scene: Scene }>([
    { where: "a namespace that is there for something else", scene: { namespaces: { fleet: {} } } },
    { where: "the daemon's own namespace", scene: { workspace: namespace } },
  ])("makes no workspace of $where, which who may push the branch could name", async ({ scene }) => {
    const { done, restored } = await restore(scene);
    await expect(done).rejects.toMatchObject({
      code: "E_UNVERIFIED",
      message: expect.stringContaining("it is no workspace") as string,
      remedy: expect.stringContaining("kubectl label namespace") as string,
    });
    expect(await restored()).toBeUndefined();
  });

  it("restores nothing where the user did not accept that", async () => {
    const { done, restored } = await restore({ isUnsignedAccepted: false });
    await expect(done).rejects.toMatchObject({ code: "E_UNVERIFIED" });
    expect(await restored()).toBeUndefined();
  });

  it("names a cluster that was offboarded or has a foreign agent, and leaves it out", async () => {
    for (const [record, isLeaving] of [
      [{ leave: { commit: "c" } }, true],
      [{ protocol: "fleet" }, false],
    ] as const) {
      const { done, restored, lines } = await restore({ record });
      await done;
      expect(await restored()).toBeUndefined();
      const fields = { cluster: "fleet/a", isLeaving };
      expect(lines).toContainEqual([
        "a cluster of the status branch cannot be restored",
        expect.objectContaining(fields) as LogFields,
      ]);
    }
    const without = await restore({ record: { keys: undefined } });
    await without.done;
    expect(without.lines.map(([message]) => message)).not.toContain(
      "a cluster of the status branch cannot be restored",
    );
  });

  it.each([true, false])("reports a cluster that was suspended, and is not any more: %s", async (suspended) => {
    const { done, lines } = await restore({ record: { suspended } });
    await done;
    const message = "a cluster was suspended, and is not any more: suspend it again";
    expect(lines.some(([line]) => line === message)).toBe(suspended);
  });
});

describe("restoreSettings", () => {
  it.each([
    [{}, { isUnsignedAccepted: false }],
    [
      { "restore-unsigned": true, "trust-key-file": "/key" },
      { isUnsignedAccepted: true, trustKeyFile: "/key" },
    ],
  ])("of %j are %j", (given, settings) => {
    expect(restoreSettings(readSettings("run", { given, environment: {} }))).toEqual(settings);
  });
});
