import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { restoreFleet } from "../../../src/recovery/restore-fleet.ts";
import { sha256Hex } from "../../../src/core/digest.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import { signReplacement } from "../../../src/join/rollcall/trust-chain.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { memberStateName, readMemberState } from "../../../src/model/member-state.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { StatusFiles } from "../../../src/planning/status-files.ts";
import { signStatus } from "../../../src/planning/status-signature.ts";
import { StatusBranch } from "../../../src/reconcile/write-back.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { collectLines } from "../../support/collect-lines.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

/** The status branch. */
export const branch = "rollcall/status";

/** A hub that wrote a status branch and is lost, with the backup of its trust key. */
export interface LostHub {
  /** The hub onto which it is restored. */
  readonly hubApi: KubeApi;
  readonly repository: TestRepository;
  /** Writes the branch as a daemon does that has just started. */
  write(
    names: readonly string[],
    options?: {
      readonly trustKey?: string;
      /** The key that replaced the hub's first one. */
      readonly successor?: string;
      readonly repository?: string;
      readonly keys?: "older";
      /** The branch begins anew with the commit. */
      readonly isSquashed?: boolean;
    },
  ): Promise<string | undefined>;
  /** Has the backup hold a key that replaced the first one, and returns it. */
  replaceKey(options?: { readonly isOldRevoked?: boolean }): Promise<string>;
  /** Writes the backup anew, with other texts. */
  writeBackup(texts: Readonly<Record<string, string>>): Promise<void>;
  /** Commits on top of the branch, by another author. */
  push(files: Readonly<Record<string, string>>): Promise<unknown>;
  /** Resolves with the lines that were logged. */
  restore(options?: {
    readonly isUnsignedAccepted?: boolean;
    readonly hubApi?: KubeApi;
    readonly branch?: string;
  }): Promise<string>;
  restoredKeys(...names: string[]): Promise<(string | undefined)[]>;
  pathOf(name: string): string;
  keyOf(name: string): string;
}

/** A hub for the tests of a `describe`, onto which {@link LostHub.restore} restores. The result loses another one. */
export function useHubToRestore(): () => Promise<LostHub> {
  let hub: HubUnderTest;
  let hubApi: KubeApi;
  beforeAll(async () => {
    hub = await readyHub();
    hubApi = apiOf(readKubeconfig(hub.kubeconfig));
  });
  afterAll(async () => {
    await hubApi.close();
    await hub.stop();
  });
  return () => loseHub(hubApi);
}

async function loseHub(hubApi: KubeApi): Promise<LostHub> {
  const id = randomUUID().slice(0, 8);
  const [namespace, workspace, name] = [`daemon-${id}`, `fleet-${id}`, "fleet"];
  const folder = await makeTempFolder();
  const repository = await createRepository(join(folder.path, "fleet.git"));
  const git: GitEngine = await openLocalEngine(repository.path, join(folder.path, "cache"));
  onTestFinished(async () => {
    await git.close();
    await folder.remove();
  });
  const trustKey = makeTrustKey();
  const trustKeyFile = join(folder.path, "trust-key.yaml");
  const writeBackup = (texts: Readonly<Record<string, string>>): Promise<void> => {
    const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    const data: unknown = Object.fromEntries(encoded);
    return writeFile(trustKeyFile, JSON.stringify({ apiVersion: "v1", kind: "Secret", data }));
  };
  await writeBackup({ key: trustKey, epoch: "1" });
  const keys = new Map<string, string>();
  const keyOf = (cluster: string): string => {
    const key = keys.get(cluster) ?? agentKey();
    keys.set(cluster, key);
    return key;
  };
  const olderKey = agentKey();
  const signal = new AbortController().signal;
  return {
    hubApi,
    repository,
    keyOf,
    pathOf: (cluster) => `clusters/${workspace}/${cluster}.yaml`,
    write: async (names, options = {}) => {
      const { trustKey: first = trustKey, successor, keys: which, isSquashed } = options;
      const label = options.repository ?? `${namespace}.${name}`;
      const key = createPrivateKey(successor ?? first);
      const spki = createPublicKey(key).export({ type: "spki", format: "der" });
      const hub = keyDigest(publicTextOf(first));
      const summary = {
        kind: "FleetSummary",
        hub: { trustKey: spki.toString("base64"), epoch: 1 },
        metadata: { name },
      };
      const records = names.map((cluster) => recordOf(workspace, cluster, which ? olderKey : keyOf(cluster)));
      const files = new StatusFiles();
      files.set("summary.yaml", toYamlFile(summary));
      for (const record of records) files.set(`clusters/${workspace}/${record.metadata.name}.yaml`, toYamlFile(record));
      const head = isSquashed ? await git.fetchHead(branch) : undefined;
      const start = { since: "2027-01-15T08:00:00Z", after: head ?? "", branch: `${branch}-past` };
      return new StatusBranch(git).write({
        branch,
        files,
        owner: { hubId: hub, repository: label, adopted: undefined },
        squash: head === undefined ? undefined : { head, start, pastHead: undefined },
        sign: (commit) =>
          signStatus({ ...commit, hub, repository: label, epoch: 1 }, (payload) => sign(null, payload, key)),
        sourceCommit: undefined,
        subject: "status",
        committedAtMs: 1_800_000_000_000,
        signal,
      });
    },
    replaceKey: async ({ isOldRevoked = false } = {}) => {
      const successor = makeTrustKey();
      const [from, to] = [publicTextOf(trustKey), publicTextOf(successor)];
      const hubId = keyDigest(from);
      const statement = signReplacement({ hubId, from, to }, (payload) => sign(null, payload, trustKey));
      const succession = JSON.stringify({ number: 2, replacements: isOldRevoked ? [] : [statement] });
      await writeBackup({ key: successor, epoch: "1", hubId, succession });
      return successor;
    },
    writeBackup: (texts) => writeBackup({ key: trustKey, ...texts }),
    push: (files) => repository.commit({ branch, files }),
    restore: async (options = {}) => {
      const { log, lines } = collectLines();
      await restoreFleet({ hubApi, git, namespace, name, branch, trustKeyFile, log, signal, ...options });
      return lines.join("\n");
    },
    restoredKeys: (...names) =>
      Promise.all(
        names.map(async (cluster) => {
          const ref = { type: resourceTypes.configMap, namespace: workspace, name: memberStateName(cluster) };
          return readMemberState(await hubApi.get(ref))?.keys?.signing;
        }),
      ),
  };
}

export function recordOf(namespace: string, name: string, signingKey: string): ClusterRecord {
  const digest = `sha256:${sha256Hex(Buffer.from(signingKey, "base64"))}`;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRecord",
    metadata: { name, namespace },
    protocol: "rollcall",
    clientID: name,
    keys: [{ digest, signingKey, sealingKey: signingKey }],
  };
}

function publicTextOf(pem: string): string {
  return createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" }).toString("base64");
}

export function agentKey(): string {
  return generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" }).toString("base64");
}
