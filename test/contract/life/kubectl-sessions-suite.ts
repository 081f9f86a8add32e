import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { installObjects } from "../../../src/install/install-objects.ts";
import type { HubObjectPolicy } from "../../../src/model/generated/repository.ts";
import { hubEditPolicy } from "../../../src/model/hub-edit-policy.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { kubectlVersion, typeIntoShell } from "../../support/shell.ts";
import { until } from "../../support/until.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import type { KubectlStep } from "./kubectl-session-steps.ts";
import { declaredFiles, kubectlSteps } from "./kubectl-session-steps.ts";
import { neverAborted } from "../../support/never-aborted.ts";

type Mode = HubObjectPolicy["policy"];
const modes: readonly Mode[] = ["Ignore", "Propose", "Commit"];

const serves = (["fleet", "kubefleet", "clusternet"] as const).map(
  (name) => ({ name, controllers: "Rollcall", bootstrapTokens: false }) as const,
);
/** The golden files have the output of this version: others print another. */
const recordedVersion = "1.34";
const version = kubectlVersion();
const why = version === recordedVersion ? undefined : `kubectl is ${version ?? "not there"}, not ${recordedVersion}`;

/**
 * What a person types and reads, in each mode of `spec.onHubObjects`; the numbers are rows of the source documents. `isShared`: each
 * start gives the same hub. A session waits for most of its time: a daemon makes ten commits a minute.
 */
export function describeKubectlSessions(
  hubName: string,
  startHub: () => Promise<HubUnderTest>,
  { isShared }: { readonly isShared: boolean },
): void {
  describe.skipIf(why !== undefined)(
    `kubectl on ${hubName}, with objects that files declare (skipped: ${why ?? "no"})`,
    () => {
      // A daemon takes over what people make on its hub, so that two on one hub would do so with the same objects.
      const each = isShared ? it : it.concurrent;
      each.for(modes)("answers each step as in the golden file: %s", async (mode, { expect }) => {
        const session = await openKubectlSession(await startHub(), mode);
        try {
          const parts: string[] = [];
          for (const step of kubectlSteps) parts.push(await session.run(step));
          parts.push(await session.repositoryAfter());
          // The same file for both hubs.
          const golden = join(import.meta.dirname, `golden/kubectl-${mode.toLowerCase()}.txt`);
          await expect(parts.join("\n")).toMatchFileSnapshot(golden);
        } finally {
          await session.close();
        }
      });
    },
  );
}

interface KubectlSession {
  /** The command, what kubectl printed, and the first Event about it with a reason of the step. */
  run(step: KubectlStep): Promise<string>;
  /** The commits and branches that the steps led to. */
  repositoryAfter(): Promise<string>;
  close(): Promise<void>;
}

async function openKubectlSession(hub: HubUnderTest, mode: Mode): Promise<KubectlSession> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-kubectl-session-"));
  await writeFile(join(folder, "kubeconfig"), hub.kubeconfig, { mode: 0o600 });
  const session = await openDaemonSession(hub);
  const unique = randomUUID().slice(0, 6);
  await installObjects(session.api, hubEditPolicy, neverAborted());
  const fill = (text: string): string => text.replaceAll("WORKSPACE", session.workspace).replaceAll("UNIQUE", unique);
  const normalize = (text: string): string =>
    text
      .replaceAll(session.workspace, "WORKSPACE")
      .replaceAll(unique, "UNIQUE")
      .replace(/commit [0-9a-f]{7,40}/gu, "commit COMMIT")
      .replace(/rollcall_hub_edits[^:]*: /gu, "")
      .replace(/ +$/gmu, "");
  const type = async (text: string): Promise<string> =>
    (await typeIntoShell(fill(text), { cwd: folder, kubeconfig: join(folder, "kubeconfig") })).output;
  await untilWarned(type);
  await session.repository.commit({
    files: Object.fromEntries(Object.entries(declaredFiles).map(([path, text]) => [path, fill(text)])),
  });
  const clusterScoped: HubObjectPolicy = { kinds: ["MemberCluster", "ManagedCluster"], policy: mode, deletions: mode };
  const onHubObjects = mode === "Ignore" ? [] : [clusterScoped, { policy: mode, deletions: mode }];
  await session.startDaemon({ serves, spec: { onHubObjects } });
  await session.settle();
  for (const ready of [
    "clusters.rollcall.dev/eu-1",
    "membercluster/edge-UNIQUE",
    "clusterregistrationtokens.fleet.cattle.io/door",
  ])
    await type(`kubectl -n WORKSPACE wait --for=create ${ready} --timeout=60s`);
  return {
    run: async (step) => {
      const before = new Set((await eventsOf(session)).map(({ uid }) => uid));
      const shown = normalize(fill(step.types));
      const printed = await type(step.types);
      const wanted = step.tells[mode] ?? [];
      const told = await until(
        async () => (await eventsOf(session)).filter(({ uid, name }) => !before.has(uid) && name === fill(step.about)),
        (found) => wanted.every((reason) => found.some((event) => event.reason === reason)),
        // Ten commits a minute: a deletion at the end waits for its turn.
        120_000,
      );
      const lines = told
        .filter(({ reason }) => wanted.includes(reason))
        .map(({ reason, message }) => `  ${reason}: ${message}`)
        .sort();
      return normalize(`# row ${step.row}\n$ ${shown}\n${printed}${lines.map((line) => `${line}\n`).join("")}`);
    },
    repositoryAfter: async () => {
      await session.settle();
      const subjects = await session.repository.git("log", "--reverse", "--format=%an: %s", "main");
      const branches = await session.repository.git("branch", "--list", "rollcall/hub/*", "--format=%(refname:short)");
      return normalize(`# git log\n${subjects}# branches\n${branches}`);
    },
    close: async () => {
      for (const kind of ["memberclusters", "managedclusters -A"])
        await type(`kubectl get ${kind} -o name | grep UNIQUE | xargs -r kubectl delete --wait=false`);
      await session.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface SeenEvent {
  readonly uid: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
}

/** Events about objects of the workspace, and about those without a namespace. */
async function eventsOf({ api, workspace }: DaemonSession): Promise<readonly SeenEvent[]> {
  const lists = await Promise.all(
    [workspace, "default"].map((namespace) => api.list(resourceTypes.event, { namespace })),
  );
  return lists
    .flatMap(({ items }) => items)
    .map((item) => ({
      uid: item.metadata.uid ?? "",
      name: textAt(item, "involvedObject", "name") ?? "",
      reason: textAt(item, "reason") ?? "",
      message: textAt(item, "message") ?? "",
    }));
}

/** An API server takes a policy up a moment after it was created. */
async function untilWarned(type: (text: string) => Promise<string>): Promise<void> {
  const probe = `kubectl create --dry-run=server -f - <<'EOF'
{ "apiVersion": "rollcall.dev/v1alpha1", "kind": "ClusterGroup",
  "metadata": { "name": "probe", "namespace": "WORKSPACE" }, "spec": { "selector": {} } }
EOF`;
  await until(
    () => type(probe),
    (printed) => printed.includes("Warning:"),
  );
}
