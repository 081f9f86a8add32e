import { createPrivateKey, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/digest.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { ensureTrustKey, readTrustKey, trustKeySecretName } from "../../../src/hub/trust-key.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import type { TokenRecord } from "../../../src/model/generated/token-record.ts";
import { memberStateName, memberStateObject, readMemberState } from "../../../src/model/member-state.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { checksumLine, signStatus } from "../../../src/planning/status-signature.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";
import { restoreFleet } from "../../../src/recovery/restore-fleet.ts";
import { collectLines } from "../../support/collect-lines.ts";
import { makeTrustKey } from "../../support/trust-key.ts";

const [namespace, workspace, name, branch] = ["rollcall", "fleet", "fleet", "rollcall/status"];
const apiVersion = "rollcall.dev/v1alpha1";
const digest = `sha256:${"ab".repeat(32)}`;
const { signal } = new AbortController();
const writing = { fieldManager: "test" };
const revoked = { blob: "b", by: "ann", time: "2027-01-01T00:00:00Z" };

function clusterRecord(cluster: string, rest: Partial<ClusterRecord> = {}): ClusterRecord {
  return {
    apiVersion,
    kind: "ClusterRecord",
    metadata: { name: cluster, namespace: workspace },
    protocol: "rollcall",
    clientID: cluster,
    keys: [{ digest, signingKey: cluster, sealingKey: cluster }],
    ...rest,
  };
}

function tokenRecord(uses: number): TokenRecord {
  return { apiVersion, kind: "TokenRecord", metadata: { name: "door", namespace: workspace }, uses };
}

/** A hub with its trust key, and the status branch that it signed. */
async function openHub(records: readonly (ClusterRecord | TokenRecord)[]) {
  const { api } = createSimulatedHub(crds, () => 0);
  const pem = makeTrustKey();
  const endpoint = { url: "https://hub", caBundle: "ca" };
  const { hubId } = await ensureTrustKey({ hubApi: api, namespace, endpoint, nowMs: 0, makeKey: () => pem });
  const files = new Map(
    records.map((record) => [
      `${record.kind === "TokenRecord" ? "tokens" : "clusters"}/${workspace}/${record.metadata.name}.yaml`,
      toYamlFile(record).content,
    ]),
  );
  const checksums = [...files].map(([path, text]) => checksumLine(path, sha256Hex(text))).join("");
  const sealed = {
    hub: hubId,
    repository: `${namespace}.${name}`,
    epoch: 1,
    parent: undefined,
    digest: sha256Hex(checksums),
  };
  const signature = signStatus(sealed, (payload) => sign(null, payload, createPrivateKey(pem)));
  files.set("SHA256SUMS", checksums).set("signature.yaml", toYamlFile(signature).content);
  const { log, lines } = collectLines();
  const restore = (hubApi: KubeApi = api) =>
    restoreFleet({ hubApi, git: gitOf(files), namespace, name, branch, log, signal });
  const epoch = async () => (await readTrustKey({ hubApi: api, namespace }))?.trust.epoch;
  return { api, restore, epoch, lines };
}

/** A repository with one commit. */
function gitOf(files: ReadonlyMap<string, string>): GitEngine {
  const all = [...files.keys()].map((path) => ({ path, mode: "file" as const, blobId: path }));
  const git: Pick<GitEngine, "fetchHead" | "listFiles" | "readBlob" | "readCommit"> = {
    fetchHead: () => Promise.resolve("head"),
    readCommit: (id) =>
      Promise.resolve({
        id,
        treeId: "tree",
        parents: [],
        author: { name: "", email: "" },
        committedAtMs: 0,
        message: "",
      }),
    listFiles: (_commit, paths) =>
      Promise.resolve(all.filter(({ path }) => paths === undefined || paths.includes(path))),
    readBlob: (id) => Promise.resolve(Buffer.from(files.get(id) ?? "")),
  };
  return git as GitEngine;
}

async function addMember(api: KubeApi, cluster: string, state?: MemberState): Promise<void> {
  const metadata = { name: cluster, namespace: workspace };
  await api.create({ apiVersion, kind: "Cluster", metadata, spec: { protocol: "rollcall" } }, writing);
  const keys = { signing: cluster, sealing: cluster };
  await api.create(memberStateObject(workspace, cluster, state ?? { keys }), writing);
}

/** The hub, with a program that ends when it writes the trust key. */
function endingAtTrustKey(api: KubeApi): KubeApi {
  return {
    ...api,
    mergePatch: (ref, ...rest) =>
      ref.name === trustKeySecretName ? Promise.reject(new Error("it ends here")) : api.mergePatch(ref, ...rest),
  };
}

describe("restoreFleet on a hub that is an older copy", () => {
  it.each([
    { what: "a revocation", records: [clusterRecord("edge-1", { revoked })] },
    { what: "the uses of a token", records: [clusterRecord("edge-1"), tokenRecord(3)] },
  ])("starts a new epoch also when it was interrupted and $what is all that the copy lacks", async ({ records }) => {
    const { api, restore, epoch } = await openHub(records);
    await addMember(api, "edge-1");
    const metadata = { name: "door", namespace: workspace };
    await api.create({ apiVersion, kind: "ClusterRegistrationToken", metadata, spec: {} }, writing);

    await expect(restore(endingAtTrustKey(api))).rejects.toThrow("it ends here");
    await restore();

    expect(await epoch()).toBe(2);
    const cluster = await api.get({ type: resourceTypes.cluster, namespace: workspace, name: "edge-1" });
    const token = await api.get({ type: resourceTypes.clusterRegistrationToken, namespace: workspace, name: "door" });
    expect(cluster?.metadata.annotations?.["rollcall.dev/revoked"] ?? token?.status).toEqual(
      records.length === 1 ? "b/ann/2027-01-01T00:00:00Z" : { uses: 3 },
    );
    await restore();
    expect(await epoch()).toBe(2);
  });

  it("revokes the Cluster that it compared, and no later one of its name", async () => {
    const { api, restore } = await openHub([clusterRecord("edge-1", { revoked })]);
    await addMember(api, "edge-1");
    const ref = { type: resourceTypes.cluster, namespace: workspace, name: "edge-1" };
    const uid = (await api.get(ref))?.metadata.uid;
    const patches: unknown[] = [];
    await restore({
      ...api,
      mergePatch: (patched, patch, ...rest) => {
        if (patched.type === ref.type) patches.push(patch);
        return api.mergePatch(patched, patch, ...rest);
      },
    });
    expect(uid).toBeDefined();
    expect(patches).toMatchObject([{ metadata: { uid } }]);
  });

  it.each([
    {
      reason: "for an earlier version of the file",
      live: "a/eve/2026-01-01T00:00:00Z",
      after: "b/ann/2027-01-01T00:00:00Z",
    },
    { reason: "without a time", live: "a", after: "b/ann/2027-01-01T00:00:00Z" },
    { reason: "for whatever version is there", live: "-/eve/2026-01-01T00:00:00Z", after: undefined },
    { reason: "later than the status branch", live: "c/eve/2027-02-01T00:00:00Z", after: undefined },
  ])("A143 revokes a cluster again that the copy knows as revoked $reason", async ({ live, after }) => {
    const { api, restore } = await openHub([clusterRecord("edge-1", { revoked })]);
    await addMember(api, "edge-1");
    const ref = { type: resourceTypes.cluster, namespace: workspace, name: "edge-1" };
    const annotations = { "rollcall.dev/revoked": live };
    await api.mergePatch(ref, { metadata: { annotations } }, writing);
    await restore();
    expect((await api.get(ref))?.metadata.annotations?.["rollcall.dev/revoked"]).toBe(after ?? live);
  });

  describe("with an agent that another one replaced since", () => {
    const keyOf = async (api: KubeApi) => {
      const ref = { type: resourceTypes.configMap, namespace: workspace, name: memberStateName("edge-1") };
      return readMemberState(await api.get(ref));
    };
    const joined = (time: string) => ({ mode: "AgentInitiated" as const, token: "door", time });
    const join = { time: "2026-06-01T00:00:00Z", registration: "door-old", initiated: "agent" as const };
    const known = { keys: { signing: "old", sealing: "old" }, join };

    it.each([
      { reason: "by a later number", credentialNumber: 3, time: "2026-01-01T00:00:00Z" },
      { reason: "as a cluster that was declared again", credentialNumber: 1, time: "2027-01-01T00:00:00Z" },
    ])("A144 does not admit the former one: the present one joined $reason", async ({ credentialNumber, time }) => {
      const record = clusterRecord("edge-1", { credentialNumber, join: joined(time) });
      const { api, restore, epoch, lines } = await openHub([record, tokenRecord(2)]);
      await addMember(api, "edge-1", { ...known, lastCredentialNumber: 2 });
      await restore();
      expect(await keyOf(api)).toMatchObject({ keys: { signing: "edge-1" }, lastCredentialNumber: credentialNumber });
      expect((await keyOf(api))?.credential).toBeUndefined();
      expect(await epoch()).toBe(2);
      expect(lines.join("\n")).toContain("another agent took the place");
      await restore();
      expect(await epoch()).toBe(2);
    });

    it("keeps the agent of a hub that is no older copy: the status branch is behind", async () => {
      const record = clusterRecord("edge-1", { credentialNumber: 2, join: joined("2026-01-01T00:00:00Z") });
      const { api, restore } = await openHub([record]);
      await addMember(api, "edge-1", { ...known, lastCredentialNumber: 3 });
      await restore();
      expect(await keyOf(api)).toMatchObject(known);
    });
  });

  it("has an older program refuse the hub before the hub has a key that replaced another", async () => {
    const { api, restore } = await openHub([clusterRecord("edge-1")]);
    await replaceTrustKey({ hubApi: api, namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked: false, signal });
    const ref = { type: resourceTypes.customResourceDefinition, name: "clusters.rollcall.dev" };
    const key = "rollcall.dev/data-format";
    await api.mergePatch(ref, { metadata: { annotations: { [key]: null } } }, writing);
    await expect(restore(endingAtTrustKey(api))).rejects.toThrow("it ends here");
    expect((await api.get(ref))?.metadata.annotations?.[key]).toBe("2");
  });
});

describe("restoreFleet on an empty hub", () => {
  it("keeps how often a token was used: one that was used up lets no other cluster in", async () => {
    const { api, restore } = await openHub([
      clusterRecord("edge-1", { join: { mode: "AgentInitiated", token: "door", time: "2026-01-02T03:04:05Z" } }),
      tokenRecord(3),
    ]);
    await restore();
    const ref = { type: resourceTypes.configMap, namespace: workspace, name: memberStateName("edge-1") };
    expect(readMemberState(await api.get(ref))?.join).toMatchObject({ token: "door", tokenUse: 3 });
  });
});

describe("restoreFleet of a large fleet", () => {
  it("reports of a missing branch and of another key what a person does about it", async () => {
    const { api, restore } = await openHub([clusterRecord("eu")]);
    const git = { ...gitOf(new Map()), url: "u", fetchHead: () => Promise.resolve(undefined) };
    const { log } = collectLines();
    await expect(restoreFleet({ hubApi: api, git, namespace, name, branch, log, signal })).rejects.toMatchObject({
      code: "E_GIT_BRANCH_MISSING",
      remedy: expect.stringContaining("--write-back-branch") as string,
    });
    const { api: other } = await openHub([]);
    await expect(restore(other)).rejects.toMatchObject({
      code: "E_HUB_INFO",
      remedy: expect.stringContaining("--trust-key-file") as string,
    });
  });

  it("reports its progress, at each tenth", async () => {
    const { restore, lines } = await openHub(Array.from({ length: 1000 }, (_, index) => clusterRecord(`c-${index}`)));
    await restore();
    const counts = (message: string) =>
      lines.flatMap(
        (line) => new RegExp(`^info ${message} \\{"clusters":(\\d+)`, "u").exec(line)?.slice(1).map(Number) ?? [],
      );
    const tenths = [100, 200, 300, 400, 500, 600, 700, 800, 900];
    expect(counts("compares the hub with the status branch")).toEqual(tenths);
    expect(counts("restores clusters")).toEqual(tenths);
    expect(counts("restored from the status branch")).toEqual([1000]);
  });
});
