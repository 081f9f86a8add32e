import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { manifestName, rollcallAnnotations } from "../../../src/model/dialects/rollcall.ts";
import type { AgentRollout } from "../../../src/model/generated/agent-rollout.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { askToJoin } from "./ask-to-join.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const names = ["a", "b", "c"];
const manager = { fieldManager: "test" };
const file = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name }, spec });

let hub: HubUnderTest;
beforeAll(async () => {
  hub = await readyHub();
});
afterAll(() => hub.stop());

describe("Repository.spec.agentRollout takes effect on a running daemon without a new commit", () => {
  let session: DaemonSession;
  /** Three clusters that run what the hub offers; then their files ask for another version. */
  beforeEach(async () => {
    session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
    await session.repository.commit({ files: { "token.yaml": file("ClusterRegistrationToken", "token", {}) } });
    await session.startDaemon({ spec: { agentRollout: { maxUnavailable: 1, maxFailures: 1 } } });
    for (const name of names) await askToJoin(session, "token", name);
    for (const name of names) {
      await until(
        () => digestOf(name),
        (digest) => digest !== undefined,
      );
      await report(name, { protocolVersion: 1, appliedManifestDigest: (await digestOf(name)) ?? "" });
    }
    return () => session.close();
  });

  const read = (name: string): Promise<KubeObject | undefined> =>
    session.get(resourceTypes.configMap, manifestName(name));
  const digestOf = async (name: string): Promise<string | undefined> =>
    (await read(name))?.metadata.annotations?.[rollcallAnnotations.manifestDigest];
  const report = async (name: string, spec: Record<string, string | number>): Promise<void> => {
    const ref = { type: resourceTypes.clusterReport, namespace: session.workspace, name };
    await until(
      () => session.get(ref.type, name),
      (object) => object !== undefined,
    );
    await session.api.mergePatch(ref, { spec }, manager);
  };
  const offered = async (): Promise<string[]> => {
    const manifests = await Promise.all(names.map(read));
    return names.filter((_, index) => textAt(manifests[index], "data", "manifest")?.includes(":9.9.9"));
  };
  /** Which of them begin depends on whose file is written first. */
  const untilOffered = (count: number): Promise<string[]> => until(offered, (found) => found.length === count);
  const change = (agentRollout: AgentRollout): Promise<unknown> =>
    session.api.mergePatch(
      { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" },
      { spec: { agentRollout } },
      manager,
    );
  const askForVersion = async (): Promise<void> => {
    const clusters = names.map((name) => [`${name}.yaml`, file("Cluster", name, { agent: { version: "9.9.9" } })]);
    await session.repository.commit({ files: Object.fromEntries(clusters) as Record<string, string> });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  };

  it("maxUnavailable: another cluster may change", async () => {
    await askForVersion();
    await untilOffered(1);
    await session.whenIdle();
    expect(await offered()).toHaveLength(1);
    await change({ maxUnavailable: 2 });
    await untilOffered(2);
  });

  it("maxFailures: a rollout that stopped proceeds", async () => {
    await askForVersion();
    const [first = ""] = await untilOffered(1);
    await report(first, { refusedManifestDigest: (await digestOf(first)) ?? "" });
    await session.settle();
    expect(await offered()).toEqual([first]);
    await change({ maxFailures: 2 });
    await untilOffered(2);
  });

  it("deadlineSeconds: the next manifest has it", async () => {
    await change({ deadlineSeconds: 777 });
    await askForVersion();
    const [first = ""] = await untilOffered(1);
    expect(textAt(await read(first), "data", "manifest")).toContain('"progressDeadlineSeconds":777');
  });
});
