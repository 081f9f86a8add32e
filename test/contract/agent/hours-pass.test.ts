import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { objectAt, objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import { manifestDigestOf } from "../../../src/join/rollcall/downstream/own-manifest.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import type { ShiftingClock } from "../../support/shifting-clock.ts";
import { createShiftingClock } from "../../support/shifting-clock.ts";
import { conditionOf, declare, kubeconfigSecret, untilLogged } from "./fleet-helpers.ts";
import type { FleetSession, RunningAgent } from "./fleet-session.ts";
import { openFleetSession } from "./fleet-session.ts";

const { cluster, clusterReport, configMap, deployment, lease, role, secret, serviceAccount } = resourceTypes;
const hourMs = 3600_000;
const again = "the hub installs an agent again";
const failed = "installing an agent failed";

/** API server, hub and agents live by one clock, on which hours pass at once. */
describe("an agent that the hub installed, while hours pass on the embedded hub", () => {
  let session: FleetSession;
  let clock: ShiftingClock;
  let agent: RunningAgent | undefined;
  let namespace = "";
  let name = "";
  let count = 0;

  const agentDeployment = () => session.get(deployment, "rollcall-agent", namespace);
  const isUnknown = (object: unknown) => JSON.stringify(object ?? {}).includes("HeartbeatMissed");
  const linesOf = (message: string) =>
    session.hubLines.filter(
      ({ message: said, fields }) => said === message && String(fields["cluster"]).endsWith(name),
    );
  const remove = (type: typeof deployment, object: string) => session.api.delete({ type, namespace, name: object });
  const untilDeployed = () =>
    session.untilIn(namespace, deployment, "rollcall-agent", (object) => object !== undefined);
  const offeredDigest = async () => textAt(await session.get(clusterReport, name), "status", "manifest", "digest");
  const untilReady = () => session.until(cluster, name, (object) => conditionOf(object, "Ready") === "True");
  const start = async () => {
    agent = await session.startAgent(namespace, { clock });
    return agent;
  };
  const patchSpec = (spec: Parameters<typeof declare>[2]) =>
    session.api.mergePatch(
      { type: cluster, namespace: session.workspace, name },
      { spec: { ...spec } },
      { fieldManager: "rollcall-git" },
    );
  /** It sends no heartbeat for more than two windows. */
  const fallSilent = async () => {
    await agent?.stop();
    clock.pass(7_000);
    await session.until(cluster, name, isUnknown);
    await session.controllers.whenIdle();
  };

  beforeAll(async () => {
    clock = createShiftingClock();
    session = await openFleetSession(await readyHub(clock), { clock });
  });
  afterAll(async () => {
    await session.close();
  });
  beforeEach(async () => {
    name = `lost-${++count}`;
    namespace = session.agentNamespace();
    await declare(session, name, {
      clientID: name,
      kubeConfigSecretRef: await kubeconfigSecret(session, name),
      agent: { namespace },
      heartbeat: { periodSeconds: 1 },
    });
    await untilDeployed();
    await start();
    await untilReady();
  });
  afterEach(async () => {
    await agent?.stop();
  });

  it("is installed again an hour after it was removed manually, and resumes with its identity", async () => {
    await remove(deployment, "rollcall-agent");
    await fallSilent();
    expect(await agentDeployment()).toBeUndefined();
    expect(linesOf(again)).toEqual([]);
    clock.pass(hourMs);
    await untilDeployed();
    expect(linesOf(again).map(({ fields }) => fields["reason"])).toEqual(["AgentLost"]);
    const { lines } = await start();
    await untilReady();
    expect(lines.map(({ message }) => message)).not.toContain("joined the hub");
    // What it could have joined by ends with its first heartbeat.
    await session.untilDeleted(serviceAccount, `rollcall-${name}.bootstrap`);
  });

  it("joins again when its identity was deleted with it, and the previous credentials end", async () => {
    const before = objectAt(await session.get(cluster, name), "status", "identity");
    await remove(deployment, "rollcall-agent");
    await remove(secret, "rollcall-agent-identity");
    await fallSilent();
    clock.pass(hourMs);
    await untilDeployed();
    const { lines } = await start();
    await untilLogged(lines, ({ message }) => message === "joined the hub");
    await session.untilDeleted(secret, `rollcall-${name}.1`);
    const isAnother = (object: unknown) =>
      JSON.stringify(objectAt(object, "status", "identity")) !== JSON.stringify(before);
    await session.until(cluster, name, (object) => conditionOf(object, "Ready") === "True" && isAnother(object));
  });

  it("is tried once an hour where its cluster cannot be reached, and the reason is logged", async () => {
    const ref = { type: secret, namespace: session.workspace, name: `${name}-kubeconfig` };
    const unreachable = session.kubeconfig.replaceAll(session.api.server, "https://127.0.0.1:1");
    const data = { value: Buffer.from(unreachable).toString("base64") };
    await session.api.mergePatch(ref, { data }, { fieldManager: "test" });
    await fallSilent();
    for (const tries of [1, 2]) {
      clock.pass(hourMs);
      await untilLogged(session.hubLines, () => linesOf(failed).length === tries);
      await session.controllers.whenIdle();
      clock.pass(hourMs / 2);
      await session.controllers.whenIdle();
      expect(linesOf(failed)).toHaveLength(tries);
      expect(linesOf(again)).toHaveLength(tries);
    }
    expect(await session.get(serviceAccount, `rollcall-${name}.bootstrap`)).toBeUndefined();
  });

  it("is removed by the hub although its cluster can be reached again only after a long grace period", async () => {
    const ref = { type: secret, namespace: session.workspace, name: `${name}-kubeconfig` };
    const present = (await session.api.get(ref))?.["data"];
    const unreachable = session.kubeconfig.replaceAll(session.api.server, "https://127.0.0.1:1");
    await patchSpec({ deletionGracePeriod: "1h" });
    const data = { value: Buffer.from(unreachable).toString("base64") };
    await session.api.mergePatch(ref, { data }, { fieldManager: "test" });
    await session.api.mergePatch(
      { type: cluster, namespace: session.workspace, name },
      { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } },
      { fieldManager: "test" },
    );
    const phase = (object: unknown) => textAt(object, "status", "leave", "phase");
    await session.until(cluster, name, (object) => phase(object) === "Waiting");
    clock.pass(hourMs);
    await session.until(cluster, name, (object) => phase(object) === "Uninstalling");
    await untilLogged(session.hubLines, () => linesOf("removing an agent failed").length > 0);
    await session.api.mergePatch(ref, { data: { ...(present as object) } }, { fieldManager: "test" });
    await session.untilDeleted(cluster, name);
    expect(await agentDeployment()).toBeUndefined();
  });

  it("is installed at once when redeployGeneration is raised while it is unresponsive", async () => {
    await remove(deployment, "rollcall-agent");
    await fallSilent();
    await patchSpec({ agent: { redeployGeneration: 1 } });
    const live = await untilDeployed();
    expect(markOf(live)).toBe("1");
    // An offer of what ran before would take the new agent back to it.
    expect(await offeredDigest()).toBeUndefined();
    expect(linesOf(again).map(({ fields }) => fields["reason"])).toEqual(["Redeploy"]);
    await start();
    await untilReady();
    // Agents change in waves: one whose change is under way would hold the next one.
    await session.until(cluster, name, (object) => conditionOf(object, "AgentUpToDate") === "True");
    await session.controllers.whenIdle();
    expect(linesOf(again)).toHaveLength(1);
    expect(await offeredDigest()).toBe(manifestDigestOf(live));
    expect((await agentDeployment())?.metadata.generation).toBe(live.metadata.generation);
  });

  it("follows a raised redeployGeneration itself; the hub touches its Deployment when it does not in time", async () => {
    const before = await agentDeployment();
    // Without the right to change it, only the hub can.
    const rights = await session.get(role, "rollcall-agent", namespace);
    // The others stay: an agent that cannot keep its leadership may stop before it acts.
    const rules = objectsAt(rights, "rules").map((rule) =>
      textsAt(rule, "resources").includes("deployments") ? { ...rule, verbs: ["get"] } : rule,
    );
    const place = { type: role, namespace, name: "rollcall-agent" };
    await session.api.mergePatch(place, { rules }, { fieldManager: "someone" });
    await patchSpec({ agent: { version: "0.2.0" } });
    await untilLogged(agent?.lines ?? [], ({ message }) => message === "acting on the report failed");
    clock.pass(601_000);
    await session.until(cluster, name, (object) => conditionOf(object, "AgentUpToDate") === "False");
    await untilReady();
    await session.controllers.whenIdle();
    expect((await agentDeployment())?.metadata.generation).toBe(before?.metadata.generation);
    expect(linesOf(again)).toEqual([]);
    await patchSpec({ agent: { version: "0.2.0", redeployGeneration: 1 } });
    const isOffered = (object: unknown) => (textAt(object, "data", "manifest") ?? "").includes("redeploy-generation");
    await session.until(configMap, `rollcall-agent-${name}`, isOffered);
    await session.controllers.whenIdle();
    expect((await agentDeployment())?.metadata.generation).toBe(before?.metadata.generation);
    clock.pass(601_000);
    await session.untilIn(namespace, deployment, "rollcall-agent", (object) => markOf(object) === "1");
    const restored = await session.get(role, "rollcall-agent", namespace);
    expect(restored?.["rules"]).toEqual(rights?.["rules"]);
    await session.until(clusterReport, name, (object) => textAt(object, "spec", "appliedManifestDigest") !== undefined);
    expect(await session.get(lease, `rollcall-${name}`)).toBeDefined();
  });
});

function markOf(live: unknown): string | undefined {
  return textAt(objectAt(live, "spec", "template", "metadata", "annotations"), "rollcall.dev/redeploy-generation");
}
