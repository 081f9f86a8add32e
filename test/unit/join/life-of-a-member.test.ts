import { beforeEach, describe, expect, it } from "vitest";
import { objectAt } from "../../../src/core/read-json.ts";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { renewalMessage, signMessage } from "../../../src/join/rollcall/messages.ts";
import { hubFacts, makeAgent, proofKey, registrationOf, workspace } from "./hub-scene.ts";
import { answerOf, join, renewal, renewedAnswer, say } from "./member-life.ts";
import type { Life } from "./member-life.ts";
import { tinyHub } from "./tiny-hub.ts";

const { hubId } = hubFacts();
let life: Life;

beforeEach(() => {
  const agent = makeAgent();
  const registration = registrationOf(agent, { tokenName: "edge", proofKey, clusterName: "eu-1" });
  life = { hub: tinyHub("eu-1"), agent, registration };
});

describe("a member that joins", () => {
  it("has nothing on the hub before an agent was admitted", async () => {
    await life.hub.settle();
    expect(life.hub.names()).toEqual([]);
  });

  it("gets its accounts, objects and sealed credentials", async () => {
    const answer = await join(life);
    expect(life.hub.names()).toEqual([
      `ClusterRegistration/${life.registration.metadata.name}`,
      "ClusterReport/eu-1",
      "ConfigMap/rollcall-agent-eu-1",
      "Lease/rollcall-eu-1",
      "Role/rollcall-eu-1",
      "Role/rollcall-eu-1.recovery",
      "RoleBinding/rollcall-eu-1",
      "RoleBinding/rollcall-eu-1.recovery",
      "Secret/rollcall-eu-1.1",
      `Secret/rollcall-eu-1.recovery.${life.agent.digest.slice(7, 23)}`,
      "ServiceAccount/rollcall-eu-1",
      "ServiceAccount/rollcall-eu-1.recovery",
    ]);
    expect(answer).toMatchObject({
      clusterName: "eu-1",
      credential: { number: 1, token: "token-1-working", expiresAt: "2027-01-16T08:00:00.000Z" },
      recoveryToken: `recovery of rollcall-eu-1.recovery.${life.agent.digest.slice(7, 23)}`,
      heartbeatPeriodSeconds: 60,
    });
  });

  it("is issued once, and comes to rest", async () => {
    await join(life);
    await life.hub.settle();
    expect(life.hub.credential.map(({ purpose }) => purpose)).toEqual(["working"]);
  });

  it("A9: shows no credential, key or token outside of Secrets", async () => {
    const { credential, recoveryToken } = await join(life);
    const secrets = [credential.token, recoveryToken, proofKey.toString("base64"), life.agent.signingPrivateKey];
    const shown = life.hub.names().filter((name) => !name.startsWith("Secret/"));
    const text = JSON.stringify([...shown.map((key) => life.hub.objects.get(key)), life.hub.state]);
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString("base64"));
    }
  });

  it("is answered again when the hub stopped between minting and answering", async () => {
    await join(life);
    life.hub.put(life.registration); // without the status that was to be written
    await life.hub.settle();
    expect(answerOf(life).credential.number).toBe(2);
    expect(life.hub.names()).toContain("Secret/rollcall-eu-1.2");
    expect(life.hub.names()).not.toContain("Secret/rollcall-eu-1.1");
  });

  it("declares in its lease how often to send the next one", async () => {
    life.hub.parts = { spec: { heartbeat: { periodSeconds: 10, failureThreshold: 4 } } };
    expect((await join(life)).heartbeatPeriodSeconds).toBe(10);
    expect(life.hub.get("Lease", "rollcall-eu-1")).toMatchObject({
      metadata: { annotations: { "rollcall.dev/heartbeat-period-seconds": "10" } },
      spec: { leaseDurationSeconds: 40 },
    });
  });

  it("A4, A5: may do with its accounts what the table lists and nothing else", async () => {
    await join(life);
    expect(life.hub.get("Role", "rollcall-eu-1")?.["rules"]).toEqual([
      {
        apiGroups: ["rollcall.dev"],
        resources: ["clusterreports"],
        resourceNames: ["eu-1"],
        verbs: ["get", "list", "watch", "patch"],
      },
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: ["rollcall-eu-1"],
        verbs: ["get", "list", "watch", "patch"],
      },
      {
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: ["rollcall-agent-eu-1"],
        verbs: ["get", "list", "watch"],
      },
    ]);
    expect(life.hub.get("Role", "rollcall-eu-1.recovery")?.["rules"]).toEqual([
      { apiGroups: ["rollcall.dev"], resources: ["clusterreports"], resourceNames: ["eu-1"], verbs: ["get", "patch"] },
    ]);
  });
});

describe("a working credential", () => {
  it("A8: is renewed on a signed request, and the former one dies when the new one is in use", async () => {
    const first = await join(life);
    say(life, { credentialNumber: 1, ...renewal(life.agent, 10, 1) });
    life.hub.nowMs += 16 * 3600_000;
    await life.hub.settle();
    const second = renewedAnswer(life, 10);
    expect(second.credential).toMatchObject({ number: 2, token: "token-2-renewal" });
    expect(life.hub.isAlive(first.credential.token)).toBe(true);
    expect(life.hub.isAlive(second.credential.token)).toBe(true);
    say(life, { credentialNumber: 2 });
    await life.hub.settle();
    expect(life.hub.isAlive(first.credential.token)).toBe(false);
    expect(life.hub.isAlive(second.credential.token)).toBe(true);
    expect(objectAt(life.hub.get("ClusterReport", "eu-1"), "status", "renewal")).toBeUndefined();
  });

  it("A3: is not renewed for a request that another key signed, or that was changed", async () => {
    await join(life);
    life.hub.nowMs += 16 * 3600_000;
    const tries = [
      renewal(makeAgent(), 10, 1),
      renewal(life.agent, 10, 1, { nonce: 11 }),
      renewal(life.agent, 10, 1, { credential: 0 }),
      renewal(life.agent, 10, 1, { signature: "" }),
      renewal(life.agent, 10, 1, { nonce: "10" }),
      renewal(life.agent, 0, 1),
      { renewal: "renew" },
    ];
    const before = JSON.stringify(life.hub.state);
    for (const request of tries) {
      say(life, { credentialNumber: 1, ...request });
      await life.hub.settle();
    }
    expect(life.hub.credential).toHaveLength(1);
    expect(JSON.stringify(life.hub.state)).toBe(before);
  });

  it("F4: is renewed for an agent that has one of which an older copy of the hub knows nothing", async () => {
    await join(life);
    life.hub.nowMs += 3600_000;
    say(life, { credentialNumber: 1, ...renewal(life.agent, 10, 4) });
    await life.hub.settle();
    expect(renewedAnswer(life, 10).credential.number).toBe(5);
  });

  it("A3: is not renewed for a request that was signed for another cluster", async () => {
    await join(life);
    life.hub.nowMs += 16 * 3600_000;
    const claims = { hubId, workspace, cluster: "eu-2", nonce: 10, credential: 1 };
    const signature = signMessage(life.agent.signingPrivateKey, renewalMessage(claims));
    say(life, { credentialNumber: 1, renewal: { nonce: 10, credential: 1, signature } });
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
  });

  it("is not renewed for a request that was answered before, nor for an older one", async () => {
    await join(life);
    const requests = [renewal(life.agent, 10, 1), renewal(life.agent, 20, 1)];
    for (const request of requests) {
      life.hub.nowMs += 3600_000;
      say(life, { credentialNumber: 1, ...request });
      await life.hub.settle();
    }
    expect(life.hub.credential).toHaveLength(3);
    for (const request of [...requests, renewal(life.agent, 15, 1)]) {
      life.hub.nowMs += 3600_000;
      say(life, request);
      await life.hub.settle();
    }
    expect(life.hub.credential).toHaveLength(3);
  });

  it("whose answer was lost is asked for again, and the lost one dies", async () => {
    await join(life);
    life.hub.nowMs += 3600_000;
    say(life, { credentialNumber: 1, ...renewal(life.agent, 10, 1) });
    await life.hub.settle();
    const lost = renewedAnswer(life, 10);
    life.hub.nowMs += 3600_000;
    say(life, renewal(life.agent, 20, 1));
    await life.hub.settle();
    expect(renewedAnswer(life, 20).credential.number).toBe(3);
    expect(life.hub.isAlive(lost.credential.token)).toBe(false);
    expect(life.hub.isAlive("token-1-working")).toBe(true);
  });

  it("is answered at once when its account was made anew, with which it died", async () => {
    await join(life);
    const account = "rollcall-eu-1";
    const makeAnew = async (uid: string) => {
      life.hub.put({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: account, namespace: workspace, uid },
      });
      await life.hub.settle();
    };
    await makeAnew("uid-1");
    life.hub.nowMs += 3600_000;
    say(life, { credentialNumber: 1, ...renewal(life.agent, 10, 1) });
    await life.hub.settle();
    expect(renewedAnswer(life, 10).credential.number).toBe(2);
    say(life, { credentialNumber: 2, ...renewal(life.agent, 20, 2) });
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(2);
    await makeAnew("uid-2");
    expect(renewedAnswer(life, 20).credential.number).toBe(3);
  });

  it("F6: is issued anew to an agent that was away longer than its life", async () => {
    await join(life);
    say(life, { credentialNumber: 1 });
    life.hub.nowMs += 90 * 24 * 3600_000;
    await life.hub.settle();
    expect(protocol.factsOf(life.hub.member, life.hub.hub).credentials).toMatchObject({
      status: "False",
      reason: "Expired",
    });
    say(life, renewal(life.agent, life.hub.nowMs, 1));
    await life.hub.settle();
    expect(renewedAnswer(life, life.hub.nowMs).credential.number).toBe(2);
    say(life, { credentialNumber: 2 });
    expect(protocol.factsOf(life.hub.member, life.hub.hub).credentials).toMatchObject({
      status: "True",
      reason: "Rotating",
    });
  });

  it("F7: is renewed at once after the hub's clock was set back, for until then the API server refuses the one it issued", async () => {
    life.hub.nowMs += 365 * 24 * 3600_000;
    await join(life);
    life.hub.nowMs -= 365 * 24 * 3600_000;
    say(life, { credentialNumber: 1, ...renewal(life.agent, 10, 1) });
    await life.hub.settle();
    expect(renewedAnswer(life, 10).credential.number).toBe(2);
  });

  it("is not issued by the thousand for an agent that asks without end", async () => {
    await join(life);
    for (let nonce = 10; nonce < 45; nonce++) {
      say(life, renewal(life.agent, nonce, life.hub.state?.credential?.number ?? 0));
      life.hub.nowMs += 1000;
      await life.hub.settle();
    }
    expect(life.hub.credential.length).toBeLessThanOrEqual(3);
    const due = protocol.dueAtMs({ kind: "member", member: life.hub.member }, life.hub.hub);
    expect(due).toBeGreaterThan(life.hub.nowMs);
    expect(due).toBeLessThanOrEqual(life.hub.nowMs + 30_000);
  });
});
