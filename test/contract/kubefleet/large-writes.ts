import { beforeAll, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import { installObjects } from "../../../src/install/install-objects.ts";
import { agentWritesPolicy } from "../../../src/model/agent-writes-policy.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";
import { neverAborted } from "../../support/never-aborted.ts";

/** What an agent that has joined may put into the Events and the Work `web` of its namespace `home`. */
export function describeLargeWrites(
  opened: () => {
    readonly session: ForeignHubSession;
    readonly agent: KubefleetAgentClient;
    readonly home: string;
  },
): void {
  const eventOf = (home: string, over: object = {}) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: "large-", namespace: home },
    involvedObject: { apiVersion: "v1", kind: "Namespace", name: home, namespace: home },
    reason: "Large",
    message: "of the agent",
    type: "Normal",
    ...over,
  });
  const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, ""]));
  const send = (over: object) => {
    const { agent, home } = opened();
    return agent.call("POST", `/api/v1/namespaces/${home}/events`, eventOf(home, over));
  };

  beforeAll(async () => {
    const { session } = opened();
    await installObjects(session.api, agentWritesPolicy, neverAborted());
    await session.eventually(
      "the policy is heeded",
      async () => (await send({ message: "x".repeat(2000) })).status > 399,
    );
  });

  it("A174 cannot fill the hub with Events of a megabyte, or of many labels", async () => {
    const { home } = opened();
    const metadata = { generateName: "large-", namespace: home };
    for (const over of [
      { message: "x".repeat(1_000_000) },
      { source: { component: "x".repeat(1_000_000) } },
      { involvedObject: { kind: "Namespace", name: home, namespace: home, fieldPath: "x".repeat(1_000_000) } },
      { metadata: { ...metadata, labels: entries(40) } },
      { metadata: { ...metadata, annotations: { long: "x".repeat(200_000) } } },
    ])
      expect([403, 422], Object.keys(over).join()).toContain((await send(over)).status);
    expect((await send({})).status).toBe(201);
  });

  it("A206 cannot hold its Events, and by them the namespace of its cluster, by finalizers or owners", async () => {
    const { home } = opened();
    const metadata = { generateName: "held-", namespace: home };
    const owner = { apiVersion: "v1", kind: "Secret", name: "any", uid: "1" };
    for (const held of [{ finalizers: ["example.com/stay"] }, { ownerReferences: [owner] }])
      expect([403, 422], JSON.stringify(held)).toContain((await send({ metadata: { ...metadata, ...held } })).status);
  });

  it("A174 cannot fill its Works with labels, finalizers and owners", async () => {
    const { agent, home } = opened();
    const path = `/apis/placement.kubernetes-fleet.io/v1beta1/namespaces/${home}/works/web`;
    const change = async (metadata: object) => {
      const { body } = await agent.call("GET", path);
      const live = body as KubeObject;
      return (await agent.call("PUT", path, { ...live, metadata: { ...live.metadata, ...metadata } })).status;
    };
    const names = Array.from({ length: 1000 }, (_, index) => `example.com/n${index}`);
    const owners = names.map((name, uid) => ({
      apiVersion: "v1",
      kind: "Secret",
      name: name.slice(12),
      uid: `${uid}`,
    }));
    for (const metadata of [{ labels: entries(1000) }, { finalizers: names }, { ownerReferences: owners }])
      expect([403, 422], Object.keys(metadata).join()).toContain(await change(metadata));
    expect(await change({ labels: { any: "v" }, finalizers: ["kubernetes-fleet.io/work-cleanup"] })).toBe(200);
  });

  it("A188 has the hub write for few of the changes that it makes to its report", async () => {
    const { agent, home, session } = opened();
    const path = `/apis/cluster.kubernetes-fleet.io/v1beta1/namespaces/${home}/internalmemberclusters`;
    let [live] = objectsAt((await agent.call("GET", path)).body, "items");
    const writes = (): number => session.hubCalls.get("apply MemberCluster/status") ?? 0;
    const before = writes();
    for (let number = 0; number < 200; number++) {
      const status = { ...objectAt(live, "status"), namespaces: { changed: `${number}` } };
      const name = textAt(live, "metadata", "name");
      const reported = await agent.call("PUT", `${path}/${name}/status`, { ...live, status });
      expect(reported.status).toBe(200);
      live = reported.body as JsonObject;
    }
    expect(writes() - before).toBeLessThan(80);
  });
}
