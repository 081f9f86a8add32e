import { randomUUID } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runImport } from "../../../src/cli/commands/import.ts";
import { installFleet } from "../../../src/install/install-fleet.ts";
import { installKubefleet } from "../../../src/install/install-kubefleet.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import { memberNamespaceName } from "../../../src/model/dialects/kubefleet.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import { letInByFleet } from "../../support/fleet-controllers.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";
import { forgetMember, letInByKubefleet } from "../../support/kubefleet-hub-agent.ts";
import type { RunCommandOptions } from "../../support/plain-context.ts";
import { runCommand } from "../../support/plain-context.ts";
import { until } from "../../support/until.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";
import { neverAborted } from "../../support/never-aborted.ts";

const { cluster, clusterGroup, clusterRegistrationToken, fleetCluster, fleetRegistration } = resourceTypes;
const {
  internalMemberCluster,
  memberCluster,
  namespace: namespaceType,
  role,
  roleBinding,
  serviceAccount,
} = resourceTypes;
const fleetGroupVersion = "fleet.cattle.io/v1alpha1";
const theirs = { fieldManager: "fleetcontroller" };

/** `rollcall import` and the run after it, on a hub that other controllers kept until now; the same on every hub. */
export function describeImport(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`rollcall import fleet, on ${hubName}`, () => {
    let stage: ImportStage;
    let agent: FleetAgentClient;
    let home: string;
    const before = new Map<string, KubeObject | undefined>();

    beforeAll(async () => {
      stage = await openImportStage(startHub, installFleet);
      const { api, workspace } = stage.session;
      home = clusterNamespaceName(workspace, "old-1");
      agent = await letInByFleet(stage.session, "old-1", "old-id");
      const make = (kind: string, metadata: object, spec: object): Promise<KubeObject> =>
        api.create(
          {
            apiVersion: fleetGroupVersion,
            kind,
            metadata: { namespace: workspace, ...metadata } as KubeObject["metadata"],
            spec,
          },
          theirs,
        );
      await make("ClusterRegistrationToken", { name: "door" }, { ttl: "240h" });
      const owner = await api.get({ type: fleetCluster, namespace: workspace, name: "old-1" });
      const ownerReferences = [
        { apiVersion: fleetGroupVersion, kind: "Cluster", name: "old-1", uid: owner?.metadata.uid ?? "" },
      ];
      await make("ClusterRegistrationToken", { name: "import-token-old-1", ownerReferences }, { ttl: "12h" });
      await make("ClusterGroup", { name: "kept" }, { selector: { matchLabels: { kept: "yes" } } });
      const labels = { "fleet.cattle.io/cluster-management": "yes" };
      await make("Cluster", { name: "ranchers", labels }, { clientID: "ranchers-id" });
      await make("Cluster", { name: "away" }, { kubeConfigSecret: "away", kubeConfigSecretNamespace: "fleet-default" });
    });
    afterAll(async () => stage?.close());

    it("prints in a dry run what it would write, and writes nothing", async () => {
      const { code, text } = await stage.runImport("fleet", { "dry-run": true });
      expect(code).toBe(1);
      expect(text).toContain(`# clusters/${stage.session.workspace}/old-1.yaml\napiVersion: ${fleetGroupVersion}\n`);
      expect(text).not.toContain("Then: commit and push");
      expect(await stage.filesWritten()).toEqual([]);
    });

    it("writes a file for each cluster, token and group, refuses by name what it cannot take, and changes nothing", async () => {
      const { workspace } = stage.session;
      await remember();
      const { code, text } = await stage.runImport("fleet");
      expect(code).toBe(1);
      const own = (await stage.filesWritten()).filter((path) => path.includes(`/${workspace}/`));
      expect(own).toEqual([
        `clusters/${workspace}/old-1.yaml`,
        `groups/${workspace}/kept.yaml`,
        `tokens/${workspace}/door.yaml`,
      ]);
      expect(await stage.fileText(`clusters/${workspace}/old-1.yaml`)).toBe(
        [
          `apiVersion: ${fleetGroupVersion}`,
          "kind: Cluster",
          "metadata:",
          "  name: old-1",
          `  namespace: ${workspace}`,
          "  labels:",
          '    kept: "yes"',
          "  annotations:",
          '    rollcall.dev/adopt: "true"',
          "spec:",
          "  clientID: old-id",
          "",
        ].join("\n"),
      );
      expect(text).toMatch(new RegExp(`refused: Cluster/${workspace}/ranchers: Rancher manages it`, "u"));
      expect(text).toMatch(new RegExp(`refused: Cluster/${workspace}/away: .*E_REFERENCE_OUTSIDE.*fleet-default`, "u"));
      expect(text).toContain(`not imported: ClusterRegistrationToken/${workspace}/import-token-old-1: `);
      await expectUnchanged((object) => object);
    });

    it("keeps an existing file, and reports one with other content", async () => {
      const { workspace } = stage.session;
      const path = `groups/${workspace}/kept.yaml`;
      const text = await stage.fileText(path);
      expect((await stage.runImport("fleet")).text).not.toContain("not written");
      await writeFile(join(stage.dir, path), `${text}# mine\n`);
      const again = await stage.runImport("fleet");
      expect(again.text).toContain(`not written: ${path} exists with other content`);
      expect(await stage.fileText(path)).toBe(`${text}# mine\n`);
    });

    it.each(["External", "Rollcall"] as const)(
      "is followed by a run with %s controllers that adopts all of it, while the agent works on",
      async (controllers) => {
        const { session } = stage;
        await stage.commitFiles();
        await session.startDaemon({ serves: [{ name: "fleet", controllers }] });
        expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
        expect((await agent.heartbeat()).status).toBe(200);
        const seen = await untilReady(session, "old-1");
        expect(seen.metadata.labels).toMatchObject({
          kept: "yes",
          "rollcall.dev/repository": expect.any(String) as string,
        });
        // An API server that has just got a definition asks to wait a moment.
        await until(
          async () => (await agent.listDeployments()).status,
          (status) => status !== 429,
        );
        expect((await agent.listDeployments()).status).toBe(200);
        for (const type of [clusterRegistrationToken, clusterGroup])
          expect(await session.get(type, type === clusterGroup ? "kept" : "door"), type.kind).toBeDefined();
        await expectUnchanged(({ metadata: { uid, generation }, spec }) => ({ uid, generation, spec }));
        const plan = await session.settle();
        expect(plan).toMatchObject({ isApplied: true, changeCount: 0 });
        await session.stopDaemon();
      },
    );

    it("has nothing left to take after that", async () => {
      const { workspace } = stage.session;
      const { text } = await stage.runImport("fleet", { "dry-run": true });
      expect(text).toContain(`not imported: Cluster/${workspace}/old-1: Rollcall has it already`);
      expect(text).not.toContain(`# clusters/${workspace}/old-1.yaml`);
      expect(text).toContain(`not imported: ClusterRegistrationToken/${workspace}/door: Rollcall has it already`);
      expect(text).not.toContain("E_LABEL_RESERVED");
    });

    /** What no import and no run may change. */
    async function remember(): Promise<void> {
      for (const [key, type, name, namespace] of kept())
        before.set(key, await stage.session.get(type, name, namespace));
      expect([...before.values()].every((object) => object !== undefined)).toBe(true);
    }

    async function expectUnchanged(view: (object: KubeObject) => unknown): Promise<void> {
      for (const [key, type, name, namespace] of kept()) {
        const now = await stage.session.get(type, name, namespace);
        const then = before.get(key);
        expect(now && view(now), key).toEqual(then && view(then));
      }
    }

    function kept(): [string, ResourceType, string, string?][] {
      return [
        ["Fleet's Cluster", fleetCluster, "old-1"],
        ["Fleet's token", resourceTypes.fleetRegistrationToken, "door"],
        ["Fleet's group", resourceTypes.fleetGroup, "kept"],
        ["the registration", fleetRegistration, "request-old"],
        ["the agent's account", serviceAccount, "request-old-account", home],
        ["its role", role, "request-old"],
        ["its binding", roleBinding, "request-old", home],
      ];
    }
  });

  describe(`rollcall import kubefleet, on ${hubName}`, () => {
    let stage: ImportStage;
    let agent: KubefleetAgentClient;
    const name = `m-${randomUUID().slice(0, 6)}`;
    const home = memberNamespaceName(name);

    beforeAll(async () => {
      stage = await openImportStage(startHub, installKubefleet);
      agent = await letInByKubefleet({ ...stage.session, accountNamespace: stage.session.namespace }, name, {
        env: "prod",
      });
      await agent.start();
      expect((await agent.heartbeat()).status).toBe(200);
    });
    afterAll(async () => {
      await stage?.session.stopDaemon();
      await forgetMember(stage.session.api, name);
      await stage?.close();
    });

    it("writes the member as it is, with the account that its agent has", async () => {
      const { code, text } = await stage.runImport("kubefleet", { workspace: stage.session.workspace });
      expect(code, text).toBe(0);
      const file = await stage.fileText(`clusters/${stage.session.workspace}/${name}.yaml`);
      expect(file).toContain(`kind: MemberCluster\nmetadata:\n  name: ${name}\n  labels:\n    env: prod\n`);
      expect(file).toContain(`    name: ${name}-hub-cluster-access\n`);
      expect(file).not.toContain("member-name");
    });

    it("is followed by a run that leaves it to KubeFleet's hub agent, and shows how it is", async () => {
      const { session } = stage;
      await stage.commitFiles();
      const before = await session.get(memberCluster, name);
      await session.startDaemon({ serves: [{ name: "kubefleet", controllers: "External" }] });
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
      expect((await agent.heartbeat()).status).toBe(200);
      const said = objectAt(await session.get(internalMemberCluster, name, home), "status") ?? {};
      const conditions = [
        {
          type: "Joined",
          status: "True",
          reason: "MemberClusterJoined",
          message: "",
          lastTransitionTime: new Date().toISOString(),
        },
      ];
      const status = { ...said, conditions } as JsonObject;
      await session.api.mergePatch(
        { type: memberCluster, name },
        { status },
        { fieldManager: "member-cluster-controller", subresource: "status" },
      );
      await untilReady(session, name);
      const now = await session.get(memberCluster, name);
      expect([now?.metadata.uid, now?.metadata.finalizers, now?.["spec"]]).toEqual([
        before?.metadata.uid,
        before?.metadata.finalizers,
        before?.["spec"],
      ]);
      const place = await session.api.get({ type: namespaceType, name: home });
      expect(place?.metadata.labels).not.toHaveProperty(["rollcall.dev/cluster"]);
      expect(await session.settle()).toMatchObject({ isApplied: true, changeCount: 0 });
      await session.stopDaemon();
    });

    it("is followed by a run that adopts it, while its agent works on", async () => {
      const { session } = stage;
      const identity = async () => {
        const objects = [
          await session.get(memberCluster, name),
          await session.get(internalMemberCluster, name, home),
          await session.get(roleBinding, `fleet-rolebinding-${name}`, home),
          await session.get(serviceAccount, `${name}-hub-cluster-access`, session.namespace),
        ];
        return objects.map((object) => ({
          uid: object?.metadata.uid,
          spec: object?.["spec"],
          subjects: object?.["subjects"],
        }));
      };
      const before = await identity();
      await stage.commitFiles();
      // A tree that declares nothing at all would remove nothing.
      const spec = { selector: { names: ["*"] } };
      const group = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterGroup", metadata: { name: "all" }, spec };
      await session.repository.commit({ files: { "group.yaml": JSON.stringify(group) } });
      await session.startDaemon({ serves: [{ name: "kubefleet", controllers: "Rollcall" }] });
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
      await until(
        async () => textAt(await session.get(cluster, name), "status", "effective", "protocol"),
        (protocol) => protocol === "kubefleet",
      );
      expect((await agent.heartbeat()).status).toBe(200);
      await untilReady(session, name);
      expect(await identity()).toEqual(before);
      expect(await session.settle()).toMatchObject({ isApplied: true, changeCount: 0 });
    });

    it("makes no object depend on another, as KubeFleet's hub agent did: deleted objects are created again, and its agent is unharmed", async () => {
      const { session } = stage;
      const objects = [
        await session.get(memberCluster, name),
        await session.api.get({ type: namespaceType, name: home }),
        await session.get(role, `fleet-role-${name}`, home),
        await session.get(roleBinding, `fleet-rolebinding-${name}`, home),
        await session.get(internalMemberCluster, name, home),
      ];
      for (const object of objects)
        expect(object?.metadata).not.toMatchObject({ ownerReferences: expect.anything() as unknown });
      expect(objects[0]?.metadata.finalizers).toBeUndefined();
      await session.api.delete({ type: memberCluster, name });
      await until(
        () => session.get(memberCluster, name),
        (object) => object !== undefined && object.metadata.uid !== objects[0]?.metadata.uid,
      );
      expect((await agent.heartbeat()).status).toBe(200);
      const seen = await session.api.get({ type: namespaceType, name: home });
      expect(seen?.metadata.uid).toBe(objects[1]?.metadata.uid);
    });

    it("deletes it with its file, and leaves nothing", async () => {
      const { session } = stage;
      await session.repository.commit({
        files: { [`clusters/${session.workspace}/${name}.yaml`]: null },
        message: "Let it go\n\nRollcall-Allow-Deletions: 1\n",
      });
      await session.settle();
      await until(
        () => agent.state(),
        (state) => state === "Leave",
      );
      expect((await agent.heartbeat({ joined: "False" })).status).toBe(200);
      await until(
        async () => [await session.get(cluster, name), await session.get(memberCluster, name)],
        (left) => left.every((object) => object === undefined),
      );
      const place = await session.api.get({ type: namespaceType, name: home });
      expect(place === undefined || place.metadata.deletionTimestamp !== undefined).toBe(true);
    });
  });
}

export interface ImportStage {
  readonly session: DaemonSession;
  /** Where the files are written. */
  readonly dir: string;
  runImport(
    project: string,
    options?: Record<string, string | boolean>,
    more?: Pick<RunCommandOptions, "signal" | "onText">,
  ): Promise<{ code: number; text: string }>;
  filesWritten(): Promise<string[]>;
  fileText(path: string): Promise<string>;
  /** Commits those files that are of this namespace, by default the stage's workspace. */
  commitFiles(place?: string): Promise<void>;
  close(): Promise<void>;
}

export async function openImportStage(
  startHub: () => Promise<HubUnderTest>,
  installOnHub: (api: KubeApi, signal: AbortSignal) => Promise<void>,
): Promise<ImportStage> {
  const hub = await startHub();
  const session = await openDaemonSession(hub);
  await installOnHub(session.api, neverAborted());
  const folder = await makeTempFolder();
  const kubeconfig = join(folder.path, "hub.kubeconfig");
  await writeFile(kubeconfig, hub.kubeconfig, { mode: 0o600 });
  const dir = join(folder.path, "fleet");
  const fileText = (path: string): Promise<string> => readFile(join(dir, path), "utf8");
  const filesWritten = async (): Promise<string[]> => {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1)).sort();
  };
  return {
    session,
    dir,
    fileText,
    filesWritten,
    runImport: (project, options = {}, more = {}) =>
      runCommand("import", runImport, { args: [project], options: { kubeconfig, dir, ...options }, ...more }),
    commitFiles: async (place = session.workspace) => {
      const paths = (await filesWritten()).filter((path) => path.includes(`/${place}/`));
      const texts = await Promise.all(paths.map(async (path) => [path, await fileText(path)] as const));
      if ((await session.repository.head()) === undefined)
        await session.repository.commit({ files: Object.fromEntries(texts), message: "Take over\n" });
    },
    close: async () => {
      await session.close();
      await folder.remove();
    },
  };
}

export async function untilReady(session: DaemonSession, name: string): Promise<KubeObject> {
  const seen = await until(
    () => session.get(cluster, name),
    (object) => conditionOf(object, "Ready") === "True",
  );
  if (seen === undefined) throw new Error(`there is no Cluster ${name}`);
  return seen;
}
