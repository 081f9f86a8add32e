import { beforeEach, describe, expect, it } from "vitest";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { hubFacts, makeAgent, proofKey, registrationOf } from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";
import { join, renewal, renewedAnswer, say } from "./member-life.ts";
import type { Life } from "./member-life.ts";
import { tinyHub } from "./tiny-hub.ts";

const { hubId } = hubFacts();
let life: Life;

beforeEach(() => {
  const agent = makeAgent();
  const registration = registrationOf(agent, { tokenName: "edge", proofKey, clusterName: "eu-1" });
  life = { hub: tinyHub("eu-1"), agent, registration };
});

describe("a member that was revoked", () => {
  it("loses every credential and account, and keeps what was reported of it", async () => {
    await join(life);
    life.hub.parts = { annotations: { "rollcall.dev/revoked": "blob/who/when" } };
    await life.hub.settle();
    expect(life.hub.names()).toEqual([
      `ClusterRegistration/${life.registration.metadata.name}`,
      "ClusterReport/eu-1",
      "Lease/rollcall-eu-1",
    ]);
    say(life, renewal(life.agent, 10, 1));
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
    expect(protocol.factsOf(life.hub.member, life.hub.hub).credentials).toMatchObject({
      status: "False",
      reason: "Revoked",
    });
  });
});

describe("F22: a member whose agent was replaced with approval from git", () => {
  it("gives nothing of the former agent's to the new one, and the former's credentials die", async () => {
    const former = await join(life);
    say(life, { credentialNumber: 1 });
    const next = makeAgent();
    life.hub.parts = { spec: { identity: { keys: [next.digest] } } };
    const again = registrationOf(next, { tokenName: "edge", proofKey, clusterName: "eu-1", clientID: "uid-2" });
    expect(life.hub.register(again)).toBe("granted eu-1");
    await life.hub.settle();
    expect(life.hub.isAlive(former.credential.token)).toBe(false);
    expect(life.hub.names()).not.toContain(`Secret/rollcall-eu-1.recovery.${life.agent.digest.slice(7, 23)}`);
    expect(life.hub.names()).toContain(`Secret/rollcall-eu-1.recovery.${next.digest.slice(7, 23)}`);
    expect(life.hub.names()).toContain("Secret/rollcall-eu-1.2");
    say(life, renewal(life.agent, 10, 2));
    life.hub.nowMs += 3600_000;
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(2);
  });
});

describe("a member whose file names another agent than the one that joined", () => {
  const other = makeAgent();
  it.each([
    ["KeyMismatch", { identity: { keys: [other.digest] } }],
    ["ClientIDMismatch", { clientID: "uid-2" }],
  ])("A219 renews no credential of the former agent while the other one does not come (%s)", async (reason, spec) => {
    const { credential } = await join(life);
    say(life, { credentialNumber: 1 });
    life.hub.parts = { spec };
    life.hub.nowMs += 16 * 3600_000;
    say(life, renewal(life.agent, 10, 1));
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
    expect(protocol.factsOf(life.hub.member, life.hub.hub).credentials).toMatchObject({ status: "False", reason });
    // A mistake in the file takes nothing from the agent that it would not get back.
    expect(life.hub.isAlive(credential.token)).toBe(true);
    life.hub.parts = {};
    await life.hub.settle();
    expect(renewedAnswer(life, 10).credential.number).toBe(2);
  });
});

describe("a member whose former agent asked with the highest number of a credential", () => {
  it("A175 has its new agent renewed, again and again", async () => {
    await join(life);
    life.hub.nowMs += 3600_000;
    say(life, { credentialNumber: 1, ...renewal(life.agent, 10, 1_000_000_000) });
    await life.hub.settle();
    expect(renewedAnswer(life, 10).credential.number).toBe(1_000_000_001);
    const next = makeAgent();
    life.hub.parts = { spec: { identity: { keys: [next.digest] } } };
    life.registration = registrationOf(next, { tokenName: "edge", proofKey, clusterName: "eu-1", clientID: "uid-2" });
    life.agent = next;
    const { credential } = await join(life);
    for (const nonce of [20, 21]) {
      life.hub.nowMs += 16 * 3600_000;
      const number = credential.number + nonce - 20;
      say(life, { credentialNumber: number, ...renewal(next, nonce, number) });
      await life.hub.settle();
      expect(renewedAnswer(life, nonce).credential.number).toBe(number + 1);
    }
  });
});

describe("a member whose state was lost", () => {
  it("keeps what it has, and admits no new agent", async () => {
    await join(life);
    const before = life.hub.names();
    life.hub.state = undefined;
    life.hub.parts = { status: { identity: { keys: [life.agent.digest] } } };
    await life.hub.settle();
    expect(life.hub.names()).toEqual(before);
    expect(protocol.factsOf(life.hub.member, life.hub.hub).credentials).toMatchObject({
      status: "False",
      reason: "IdentityLost",
    });
  });
});

describe("a member of a hub that was restored", () => {
  it("continues after the credentials that its agent has from before, by a signed request alone", async () => {
    await join(life);
    life.hub.nowMs += 3600_000;
    say(life, { credentialNumber: 7 });
    life.hub.state = { clientID: life.hub.state?.clientID, keys: life.hub.state?.keys, join: life.hub.state?.join };
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
    say(life, renewal(makeAgent(), 10, 7));
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
    say(life, renewal(life.agent, 11, 2 ** 40));
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
    say(life, renewal(life.agent, 12, 7));
    await life.hub.settle();
    expect(renewedAnswer(life, 12).credential).toMatchObject({ number: 8, token: "token-2-renewal" });
    expect(life.hub.state).toMatchObject({ liveCredentials: [8], lastCredentialNumber: 8 });
  });
});

describe("a member that the hub installs itself", () => {
  beforeEach(() => {
    life.hub = tinyHub("eu-1", { spec: { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } } });
  });

  const pending = () => protocol.pendingBootstrap(life.hub.member, life.hub.hub);

  it("gets values to join by, which wait until they are installed", async () => {
    await life.hub.settle();
    expect(pending()).toEqual({
      number: 1,
      values: {
        hub: { url: "https://hub.example.com:6443", caBundle: "ca", id: hubId },
        workspace: "fleet",
        token: {
          name: "eu-1.bootstrap",
          credential: "token-1-bootstrap",
          proofKey: Buffer.alloc(32, 1).toString("base64"),
        },
        cluster: { name: "eu-1" },
      },
    });
    await life.hub.settle();
    expect(life.hub.credential).toHaveLength(1);
    life.hub.state = {
      ...life.hub.state,
      install: { bootstrap: 1, manifestDigest: "", kubeconfigDigest: "", redeployGeneration: 0, time: "" },
    };
    expect(pending()).toBeUndefined();
  });

  it("gets new ones when an hour has passed, and the old ones die", async () => {
    await life.hub.settle();
    expect(protocol.dueAtMs({ kind: "member", member: life.hub.member }, life.hub.hub)).toBe(life.hub.nowMs + 3600_000);
    life.hub.nowMs += 3600_000;
    await life.hub.settle();
    expect(pending()?.number).toBe(2);
    expect(life.hub.isAlive("token-1-bootstrap")).toBe(false);
    expect(life.hub.isAlive("token-2-bootstrap")).toBe(true);
  });

  it("loses them as soon as its agent has its own credential, and not before", async () => {
    await life.hub.settle();
    const key = Buffer.alloc(32, 1);
    life.registration = registrationOf(life.agent, { tokenName: "eu-1.bootstrap", proofKey: key });
    const answer = await join(life);
    expect(life.hub.isAlive("token-1-bootstrap")).toBe(true);
    expect(pending()).toBeUndefined();
    say(life, { credentialNumber: answer.credential.number });
    await life.hub.settle();
    expect(life.hub.isAlive("token-1-bootstrap")).toBe(false);
    expect(life.hub.names().filter((name) => name.includes("bootstrap"))).toEqual([
      `ClusterRegistration/${life.registration.metadata.name}`,
    ]);
    expect(life.hub.credential.map(({ purpose }) => purpose)).toEqual(["bootstrap", "working"]);
  });

  it("lets nothing be installed while it is paused, leaving or revoked", async () => {
    const states: MemberParts[] = [
      { spec: { ...life.hub.parts.spec, paused: true } },
      { ...life.hub.parts, annotations: { "rollcall.dev/leave": "abc" } },
      { ...life.hub.parts, annotations: { "rollcall.dev/revoked": "blob/who/when" } },
    ];
    for (const parts of states) {
      life.hub.parts = parts;
      await life.hub.settle();
      expect(life.hub.names()).toEqual([]);
    }
  });
});
