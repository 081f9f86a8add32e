import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { numberAt, objectAt, textAt } from "../../../src/core/read-json.ts";
import { isRolledOut } from "../../../src/join/rollcall/downstream/own-manifest.ts";
import { publicObjects } from "../../../src/join/rollcall/hub/public-objects.ts";
import { readmitObject } from "../../../src/join/rollcall/hub/readmit.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import { recoverySecretName } from "../../../src/model/dialects/rollcall.ts";
import { realRandom } from "../../support/real-time.ts";
import { readMemberState } from "../../../src/model/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeControlPlaneKeys } from "../../support/control-plane-keys.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { createShiftingClock } from "../../support/shifting-clock.ts";
import type { ShiftingClock } from "../../support/shifting-clock.ts";
import { openGate, openTlsGate } from "../../support/tls-gate.ts";
import type { Gate } from "../../support/tls-gate.ts";
import { conditionOf, declare, kubeconfigSecret, untilLogged, untilReady } from "./fleet-helpers.ts";
import { openFleetSession } from "./fleet-session.ts";
import type { AgentChanges, FleetSession, RunningAgent } from "./fleet-session.ts";

const { cluster, clusterReport, configMap, deployment, lease, pod, secret, serviceAccount } = resourceTypes;
const hourMs = 3600_000;

/** What keeps an agent and its hub together over months: renewal, recovery, moves, outages, new versions. */
export function describeAgentLife(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`the life of an agent on ${name}`, () => {
    let session: FleetSession;
    let clock: ShiftingClock;
    let agent: RunningAgent;
    let namespace: string;
    let gate: Gate;
    let clusterName = "";
    let count = 0;

    /** The agent's connection to the hub passes the gate. */
    const through =
      (way: () => Gate): NonNullable<AgentChanges["connectHub"]> =>
      (target, connect) =>
        connect(target.url === session.api.server ? { ...target, url: way().url } : target);
    const start = (changes: AgentChanges = {}) =>
      session.startAgent(namespace, { clock, connectHub: through(() => gate), ...changes });
    const report = async () => session.get(clusterReport, clusterName);
    const heard = async () => textAt(await session.get(lease, `rollcall-${clusterName}`), "spec", "renewTime");
    const untilBeatAfter = (last: string | undefined) =>
      session.until(lease, `rollcall-${clusterName}`, (object) => textAt(object, "spec", "renewTime") !== last);
    const untilCredential = (number: number) =>
      session.until(clusterReport, clusterName, (object) => numberAt(object, "spec", "credentialNumber") === number);

    beforeAll(async () => {
      session = await openFleetSession(await startHub());
    });
    afterAll(async () => {
      await session.close();
    });
    beforeEach(async () => {
      clusterName = `life-${++count}`;
      namespace = session.agentNamespace();
      clock = createShiftingClock();
      gate = await openGate(session.api.server);
      await declare(session, clusterName, {
        clientID: clusterName, // they all run in one cluster
        kubeConfigSecretRef: await kubeconfigSecret(session, clusterName),
        agent: { namespace },
        heartbeat: { periodSeconds: 1 },
      });
      await session.untilIn(namespace, deployment, "rollcall-agent", (object) => object !== undefined);
      agent = await start();
      await session.until(cluster, clusterName, (object) => conditionOf(object, "Ready") === "True");
    });
    afterEach(async () => {
      session.shiftHubTime(0);
      await agent.stop();
      await gate.stop();
    });

    it("A8: renews its credential at two thirds of its life, and the former one dies", async () => {
      session.shiftHubTime(16 * hourMs);
      clock.pass(16 * hourMs + 60_000);
      await untilCredential(2);
      await session.untilDeleted(secret, `rollcall-${clusterName}.1`);
      const last = await heard();
      await untilBeatAfter(last);
      expect(objectAt(await report(), "spec", "renewal")).toBeUndefined();
      expect(agent.lines.filter(({ level }) => level === "error")).toEqual([]);
    });

    it("F6: comes back by its recovery credential when the working one is refused", async () => {
      const saidMs = Date.parse(textAt(await report(), "spec", "time") ?? "");
      session.shiftHubTime(48 * hourMs);
      clock.pass(90_000);
      await session.api.delete({ type: secret, namespace: session.workspace, name: `rollcall-${clusterName}.1` });
      await untilCredential(2);
      // Each write has its time: else the hub would take the age of the last report for a wrong clock.
      expect(Date.parse(textAt(await report(), "spec", "time") ?? "") - saidMs).toBeGreaterThanOrEqual(90_000);
      const last = await heard();
      await untilBeatAfter(last);
      expect(agent.lines.map(({ message }) => message)).not.toContain("joining again with the values that were given");
    });

    it("keeps everything through an outage of the hub, and heartbeats again by itself", async () => {
      const before = await session.get(secret, "rollcall-agent-identity", namespace);
      await gate.close();
      await untilLogged(agent.lines, ({ message }) => message === "a heartbeat failed");
      clock.pass(hourMs);
      clock.pass(hourMs);
      const last = await heard();
      await gate.open();
      clock.pass(10_000);
      await untilBeatAfter(last);
      expect((await session.get(secret, "rollcall-agent-identity", namespace))?.metadata.resourceVersion).toBe(
        before?.metadata.resourceVersion,
      );
      const messages = agent.lines.map(({ message }) => message);
      expect(messages).not.toContain("the hub refuses the working credential; asking for another");
      expect(messages.filter((message) => message === "joined the hub")).toHaveLength(1);
      expect(numberAt(await report(), "spec", "credentialNumber")).toBe(1);
    });

    it("F5: follows the hub to a new address that was announced", async () => {
      const next = await openGate(session.api.server);
      const { endpoint, trust } = session.hubFacts();
      session.changeFacts({
        endpoint: { ...endpoint, url: next.url },
        trust: { ...trust, validFrom: "2040-01-01T00:00:00Z" },
      });
      await session.untilIn(namespace, secret, "rollcall-agent-identity", (object) =>
        textOfSecret(object).includes(next.url),
      );
      await gate.close();
      // A heartbeat that had passed the former address may still arrive.
      await expect.poll(() => next.connections).toBeGreaterThan(0);
      await untilBeatAfter(await heard());
      session.changeFacts({ endpoint, trust });
      await next.stop();
    });

    it("F5: stays with its hub when an address is announced at which nothing answers", async () => {
      const { endpoint, trust } = session.hubFacts();
      const held = async () => textOfSecret(await session.get(secret, "rollcall-agent-identity", namespace));
      session.changeFacts({
        endpoint: { ...endpoint, url: "https://127.0.0.2:1" },
        trust: { ...trust, validFrom: "2040-06-01T00:00:00Z" },
      });
      await session.untilIn(namespace, secret, "rollcall-agent-identity", (object) =>
        textOfSecret(object).includes("https://127.0.0.2:1"),
      );
      await untilBeatAfter(await heard());
      session.changeFacts({ endpoint, trust: { ...trust, validFrom: "2040-07-01T00:00:00Z" } });
      await session.untilIn(
        namespace,
        secret,
        "rollcall-agent-identity",
        (object) => !textOfSecret(object).includes("https://127.0.0.2:1"),
      );
      await untilBeatAfter(await heard());
      expect(await held()).not.toContain("lastEndpoint");
    });

    it("F5: finds a hub whose CA is new by its signed public info, and sends no credential before", async () => {
      const { ca, server } = await makeControlPlaneKeys();
      const { endpoint, trust } = session.hubFacts();
      const tls = await openTlsGate(session.api.server, { ...server, serverCa: endpoint.caBundle });
      const moved = {
        ...session.hubFacts(),
        endpoint: { url: tls.url, caBundle: ca.cert },
        trust: { ...trust, validFrom: "2041-01-01T00:00:00Z" },
      };
      for (const object of publicObjects(moved)) await session.api.apply(object, { fieldManager: "test" });
      await agent.stop();
      const targets: { readonly isUnverified?: boolean; readonly token?: string; readonly url: string }[] = [];
      agent = await start({
        connectHub: (target, connect) => {
          targets.push(target);
          return connect(target.url === session.api.server ? { ...target, url: tls.url } : target);
        },
      });
      await untilBeatAfter(await heard());
      await expect
        .poll(() => agent.lines.map(({ message }) => message))
        .toContain("the hub's new address or CA was taken over");
      const unverified = targets.filter(({ isUnverified }) => isUnverified);
      expect(unverified.length).toBeGreaterThan(0);
      expect(unverified.every(({ token }) => token === undefined)).toBe(true);
      await agent.stop();
      await tls.stop();
    });

    it("F4: acts on nothing that an older copy of the hub declares", async () => {
      const { trust } = session.hubFacts();
      session.changeFacts({ trust: { ...trust, epoch: 2 } });
      await session.until(clusterReport, clusterName, (object) => numberAt(object, "spec", "epoch") === 2);
      session.changeFacts({ trust: { ...trust, epoch: 1 }, version: "0.0.1" });
      await untilLogged(agent.lines, ({ message }) => message.startsWith("the hub is an older copy"));
      const live = await session.get(deployment, "rollcall-agent", namespace);
      expect(JSON.stringify(live?.["spec"])).toContain("rollcall:0.1.0");
      session.changeFacts({ trust, version: "0.1.0" });
    });

    it("reconnects to a hub that was lost and restored, without manual steps", async () => {
      const { trust } = session.hubFacts();
      const type = configMap;
      const memberStateRef = { type, namespace: session.workspace, name: `rollcall-cluster-${clusterName}` };
      const state = readMemberState(await session.api.get(memberStateRef));
      // What the status branch keeps of a member, and nothing of its credentials.
      const restored = { clientID: state?.clientID, keys: state?.keys, join: state?.join };
      const recoverySecret = recoverySecretName(clusterName, keyDigest(state?.keys?.signing ?? ""));
      const former = await session.get(secret, recoverySecret);
      for (const account of [`rollcall-${clusterName}`, `rollcall-${clusterName}.recovery`])
        await session.api.delete({ type: serviceAccount, namespace: session.workspace, name: account });
      await session.api.mergePatch(
        memberStateRef,
        { data: { memory: JSON.stringify(restored) } },
        { fieldManager: "test" },
      );
      session.changeFacts({ trust: { ...trust, epoch: 3 } });
      const renewed = await session.until(
        secret,
        recoverySecret,
        (object) => textAt(object, "data", "token") !== undefined && object?.metadata.uid !== former?.metadata.uid,
      );
      const member = {
        workspace: session.workspace,
        name: clusterName,
        cluster: {
          apiVersion: "rollcall.dev/v1alpha1" as const,
          kind: "Cluster" as const,
          metadata: { name: clusterName },
        },
        state: restored,
        children: [renewed],
      };
      const readmission = readmitObject(member, session.hubFacts(), realRandom);
      if (readmission === undefined) throw new Error("the member may not come back");
      for (const object of [...publicObjects(session.hubFacts()), readmission])
        await session.api.apply(object, { fieldManager: "test" });
      // API servers remember a good token for ten seconds.
      await untilLogged(
        agent.lines,
        ({ message }) => message === "the hub was restored and lets this agent back in",
        () => Promise.resolve(clock.pass(100)),
      );
      const last = await heard();
      await untilBeatAfter(last);
      await session.until(clusterReport, clusterName, (object) => numberAt(object, "spec", "epoch") === 3);
      const messages = agent.lines.map(({ message }) => message);
      expect(messages).toContain("the hub was restored and lets this agent back in");
      expect(messages.filter((message) => message === "joined the hub")).toHaveLength(1);
      session.changeFacts({ trust });
    });

    it("F7: shows that the agent's clock is wrong, by which nothing is evaluated", async () => {
      clock.pass(10 * 60_000);
      // Its next write has the time of its clock: here, its new identity.
      const reported = await report();
      const version = { spec: { kubernetesVersion: "v0.0.0" } };
      const ref = { type: clusterReport, namespace: session.workspace, name: clusterName };
      await session.api.mergePatch(ref, version, { fieldManager: "test" });
      await agent.stop();
      agent = await start();
      const skewed = await session.until(
        cluster,
        clusterName,
        (object) => conditionOf(object, "ClockSynced") === "False",
      );
      expect(JSON.stringify(skewed["status"])).toContain("10 min ahead of the hub's");
      expect(conditionOf(skewed, "Ready")).toBe("True");
      expect(textAt(reported, "spec", "kubernetesVersion")).toMatch(/^v1/u);
      await untilLogged(agent.lines, ({ message }) => message === "this clock differs from the hub's");
    });

    it("updates to the version that the hub requests, and changes only its own Deployment", async () => {
      await askFor({ version: "0.2.0" });
      await session.untilIn(namespace, deployment, "rollcall-agent", (object) =>
        JSON.stringify(object ?? {}).includes("rollcall:0.2.0"),
      );
      await untilLogged(
        agent.lines,
        ({ message }) => message === "the own Deployment was changed",
        async () => {
          await makeReady("rollcall:0.2.0");
          const live = await session.get(deployment, "rollcall-agent", namespace);
          if (live !== undefined && isRolledOut(live)) clock.pass(6000);
        },
      );
      await session.until(cluster, clusterName, (object) => conditionOf(object, "AgentUpToDate") === "True");
    });

    it("rolls back when the new version does not become ready, and does not try it again", async () => {
      await askFor({ version: "0.3.0" });
      await session.untilIn(namespace, deployment, "rollcall-agent", (object) =>
        JSON.stringify(object ?? {}).includes("rollcall:0.3.0"),
      );
      clock.pass(601_000);
      await session.untilIn(namespace, deployment, "rollcall-agent", (object) =>
        JSON.stringify(object?.["spec"] ?? {}).includes("rollcall:0.1.0"),
      );
      const refused = await session.until(
        clusterReport,
        clusterName,
        (object) => textAt(object, "spec", "refusedVersion") === "0.3.0",
      );
      expect(textAt(refused, "spec", "refusedManifestDigest")).toBeDefined();
      await session.until(
        cluster,
        clusterName,
        (object) =>
          conditionOf(object, "AgentUpToDate") === "False" && JSON.stringify(object?.["status"]).includes("RolledBack"),
      );
      clock.pass(60_000);
      expect(JSON.stringify((await session.get(deployment, "rollcall-agent", namespace))?.["spec"])).toContain(
        "rollcall:0.1.0",
      );
      // The next version is another matter.
      await askFor({ version: "0.4.0" });
      await session.untilIn(namespace, deployment, "rollcall-agent", (object) =>
        JSON.stringify(object ?? {}).includes("rollcall:0.4.0"),
      );
    });

    it("lets a second replica become ready without leading, and lead when the first one ends", async () => {
      const second = await start({ podName: "second-pod" });
      await untilReady(second.healthPort);
      await expect.poll(() => second.lines.map(({ message }) => message)).toContain("ready to lead");
      await agent.stop();
      const holder = (object: KubeObject | undefined) => textAt(object, "spec", "holderIdentity");
      await session.until(lease, `rollcall-${clusterName}`, (object) => holder(object) === "second-pod");
      expect(second.lines.map(({ message }) => message)).not.toContain("joined the hub");
      await second.stop();
    });

    it("F23: reports what is wrong with a damaged identity, and does not change it", async () => {
      await agent.stop();
      const ref = { type: secret, namespace, name: "rollcall-agent-identity" };
      const before = await session.api.get(ref);
      const damage = { data: { identity: Buffer.from('{"keys":').toString("base64") } };
      await session.api.mergePatch(ref, damage, { fieldManager: "test" });
      agent = await start();
      await untilLogged(agent.lines, ({ fields }) => String(fields["error"]).includes('key "identity" is damaged'));
      expect(objectAt(await session.api.get(ref), "data")).toEqual(damage.data);
      await session.api.mergePatch(ref, { data: objectAt(before, "data") }, { fieldManager: "test" });
      clock.pass(60_000);
      await untilBeatAfter(await heard());
    });

    async function markRolledOut(): Promise<void> {
      const live = await session.get(deployment, "rollcall-agent", namespace);
      const status = {
        observedGeneration: live?.metadata.generation ?? 1,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
      };
      const ref = { type: deployment, namespace, name: "rollcall-agent" };
      await session.api.mergePatch(ref, { status }, { fieldManager: "test", subresource: "status" });
    }

    async function askFor(settings: { readonly version: string }): Promise<void> {
      await session.api.mergePatch(
        { type: cluster, namespace: session.workspace, name: clusterName },
        { spec: { agent: settings } },
        { fieldManager: "rollcall-git" },
      );
      await session.until(configMap, `rollcall-agent-${clusterName}`, (object) =>
        JSON.stringify(object ?? {}).includes(`rollcall:${settings.version}`),
      );
    }

    /** What a kubelet reports of Pods of this image: they are ready. Where no controller makes Pods, what one would report. */
    async function makeReady(image: string): Promise<void> {
      const { items } = await session.api.list(pod, { namespace });
      if (items.length === 0) await markRolledOut();
      for (const item of items) {
        if (textAt(item, "spec", "containers", 0, "image") !== image || textAt(item, "status", "phase") === "Running")
          continue;
        const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date(0).toISOString() }];
        const ref = { type: pod, namespace, name: item.metadata.name };
        const options = { fieldManager: "test", subresource: "status" as const };
        await session.api.mergePatch(ref, { status: { phase: "Running", conditions } }, options);
      }
    }
  });
}

function textOfSecret(object: KubeObject | undefined): string {
  return Buffer.from(textAt(object, "data", "identity") ?? "", "base64").toString("utf8");
}
