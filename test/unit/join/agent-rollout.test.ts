import { beforeEach, describe, expect, it } from "vitest";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { makeAgent, proofKey, registrationOf } from "./hub-scene.ts";
import type { Life } from "./member-life.ts";
import { join, say } from "./member-life.ts";
import { tinyHub } from "./tiny-hub.ts";

const held = { reason: "WaitingForWave", message: "It waits for its turn." };

describe("the manifest that an agent is offered", () => {
  let life: Life;
  const offer = () => life.hub.get("ConfigMap", "rollcall-agent-eu-1");
  const image = () => /rollcall:[\d.]+/u.exec(textAt(offer(), "data", "manifest") ?? "")?.[0];
  const digest = () => offer()?.metadata.annotations?.["rollcall.dev/manifest-digest"];
  const want = async (spec: NonNullable<typeof life.hub.parts.spec>) => {
    life.hub.parts = { ...life.hub.parts, spec };
    await life.hub.settle();
  };
  const stand = () => protocol.agentProgress(life.hub.member, life.hub.hub);
  const result = () => protocol.factsOf(life.hub.member, life.hub.hub).agent;

  beforeEach(async () => {
    const agent = makeAgent();
    const asked = { tokenName: "edge", proofKey, clusterName: "eu-1" };
    life = { hub: tinyHub("eu-1"), agent, registration: registrationOf(agent, asked) };
    await join(life);
    say(life, { protocolVersion: 1, agentVersion: "0.1.0", appliedManifestDigest: digest(), credentialNumber: 1 });
    await life.hub.settle();
  });

  it("stays the same when only this program gets another version", async () => {
    const before = digest();
    life.hub.facts = { version: "0.2.0", agentImage: "elsewhere/rollcall" };
    await life.hub.settle();
    expect([image(), digest(), stand()]).toEqual(["rollcall:0.1.0", before, undefined]);
    expect(result()).toMatchObject({ status: "True", reason: "UpToDate" });
  });

  it("reports when the agent is too old for this hub", () => {
    life.hub.facts = { version: "0.4.0" };
    expect(result()).toMatchObject({ status: "False", reason: "VersionSkew" });
    life.hub.facts = { version: "0.3.9" };
    expect(result()).toMatchObject({ status: "True" });
  });

  it("is another one when its Cluster declares it, with the time of the offer, and is followed to its end", async () => {
    life.hub.nowMs += 3600_000;
    await want({ agent: { version: "0.2.0" } });
    expect(image()).toBe("rollcall:0.2.0");
    expect(stand()).toEqual({ key: "fleet/eu-1", version: "0.2.0", state: "changing", offeredAtMs: life.hub.nowMs });
    expect(result()).toMatchObject({ reason: "Updating" });
    say(life, { refusedManifestDigest: digest(), refusedVersion: "0.2.0" });
    expect(stand()).toMatchObject({ state: "refused" });
    await want({ agent: { version: "0.2.0", redeployGeneration: 1 } });
    expect(stand()).toMatchObject({ state: "changing" });
    say(life, { appliedManifestDigest: digest(), agentVersion: "0.2.0" });
    expect(stand()).toBeUndefined();
    // Agents of earlier versions never take back what they refused, also when they run it by now.
    say(life, { refusedManifestDigest: digest() });
    expect(result()).not.toMatchObject({ reason: "RolledBack" });
  });

  it("gives an agent its time to follow anew after the hub's clock was set back, not the time until it has caught up", async () => {
    life.hub.nowMs += 3600_000;
    await want({ agent: { version: "0.2.0" } });
    life.hub.nowMs -= 3000_000;
    await life.hub.settle();
    expect(stand()).toMatchObject({ state: "changing", offeredAtMs: life.hub.nowMs });
    // The clock of another leader, seconds ahead, is none that was set back.
    const offered = offer();
    life.hub.nowMs -= 5000;
    await life.hub.settle();
    expect(offer()).toEqual(offered);
    // An agent that followed has no use for the time.
    say(life, { appliedManifestDigest: digest(), agentVersion: "0.2.0" });
    life.hub.nowMs -= 3600_000;
    await life.hub.settle();
    expect(offer()).toEqual(offered);
  });

  it("stays the one before while the member has to wait for its wave, and names the reason", async () => {
    const before = digest();
    life.hub.facts = { agentHold: () => held };
    await want({ agent: { version: "0.2.0" } });
    expect([image(), digest()]).toEqual(["rollcall:0.1.0", before]);
    expect(stand()).toMatchObject({ state: "waiting", version: "0.2.0" });
    expect(result()).toEqual({ status: "False", ...held });
    const status = life.hub.get("ClusterReport", "eu-1")?.["status"];
    expect(textAt(status, "manifest", "digest")).toBe(before);
    life.hub.facts = {};
    await life.hub.settle();
    expect(image()).toBe("rollcall:0.2.0");
  });

  it("shows why it waits as before a restart, until all clusters were reconciled", async () => {
    life.hub.facts = { agentHold: () => held };
    await want({ agent: { version: "0.2.0" } });
    const unknownYet = { reason: "WaitingForWave", message: "Not all are reconciled.", isPreliminary: true };
    const { member } = life.hub;
    const shown = (condition: { readonly reason: string; readonly message: string }) => {
      const whole = { type: "AgentUpToDate", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" } as const;
      const status = { conditions: [{ ...whole, ...condition }] };
      const hub = { ...life.hub.hub, agentHold: () => unknownYet };
      return protocol.factsOf({ ...member, cluster: { ...member.cluster, status } }, hub).agent;
    };
    expect(shown(held)).toEqual({ status: "False", ...held });
    const stopped = { reason: "RolloutStopped", message: "It was refused." };
    expect(shown(stopped)).toEqual({ status: "False", ...stopped });
    const { isPreliminary: _, ...hold } = unknownYet;
    expect(shown({ reason: "UpToDate", message: "It runs 0.1.0." })).toEqual({ status: "False", ...hold });
  });

  it("stays the one before while the cluster is paused, and takes part in no wave", async () => {
    await want({ agent: { version: "0.2.0" }, paused: true });
    expect([image(), stand()]).toEqual(["rollcall:0.1.0", undefined]);
    await want({ agent: { version: "0.2.0" } });
    expect(image()).toBe("rollcall:0.2.0");
  });

  it("is rendered anew when it was edited manually", async () => {
    const before = digest();
    const edited = offer();
    if (edited) life.hub.put({ ...edited, data: { manifest: "[]" } });
    await life.hub.settle();
    expect([image(), digest()]).toEqual(["rollcall:0.1.0", before]);
  });
});
