import { describe, expect, it } from "vitest";
import type { CredentialDue } from "../../../../src/join/join.ts";
import type { ClusterParts } from "../members/member-world.ts";
import { ofFleet, openQueue } from "./member-queue-world.ts";

/** A credential that cannot be issued yet: its Secret is not filled. */
const due: CredentialDue = {
  purpose: "working",
  workspace: "fleet",
  how: { kind: "token-secret", secret: "not-filled" },
  reason: "it has none",
};

/** Members whose agents have joined; those of `unanswered` (`protocol/name`) wait for a credential. */
async function openAdmissions(clusters: Record<string, ClusterParts>, unanswered = new Set<string>()) {
  const world = await openQueue((protocol) => ({
    factsOf: (member, hub) => ({ ...protocol.factsOf(member, hub), hasJoined: true }),
    credentialsDue: (subject) =>
      subject.kind === "member" && unanswered.has(`${protocol.name}/${subject.member.name}`) ? [due] : [],
  }));
  for (const [name, parts] of Object.entries(clusters)) await world.addCluster(name, { labels: ofFleet, ...parts });
  return world;
}

describe("createMemberQueue, while an admitted agent waits for its answer", () => {
  it("delays the status of other members until the agent has its answer, and reconciles them then", async () => {
    const { queue, reconcile, isWritten } = await openAdmissions({ "eu-1": {}, "eu-2": {} });
    const release = queue.holdMember("fleet", "eu-1");
    await reconcile("eu-1", "eu-2");
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([false, false]);
    release();
    await reconcile();
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([true, true]);
  });

  it("reconciles a delayed member after five seconds although the agent still waits", async () => {
    const { queue, reconcile, isWritten, clock } = await openAdmissions({ "eu-1": {}, "eu-2": {} });
    queue.holdMember("fleet", "eu-1");
    await reconcile("eu-2");
    await clock.advance(4999);
    await reconcile("eu-2");
    expect(isWritten("eu-2")).toBe(false);
    await clock.advance(1);
    await reconcile("eu-2");
    expect(isWritten("eu-2")).toBe(true);
  });

  it.each(["rollcall", "kubefleet"] as const)(
    "delays other members also while the credential of an agent of %s cannot be issued",
    async (protocol) => {
      const unanswered = new Set([`${protocol}/eu-1`]);
      const clusters = { "eu-1": { spec: { protocol } }, "eu-2": {} };
      const { queue, reconcile, isWritten } = await openAdmissions(clusters, unanswered);
      const release = queue.holdMember("fleet", "eu-1");
      await reconcile("eu-2");
      release();
      await reconcile();
      expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([true, false]);
      unanswered.clear();
      await reconcile("eu-1");
      expect(isWritten("eu-2")).toBe(true);
    },
  );

  it.each<{ reason: string; clusters: Record<string, ClusterParts> }>([
    { reason: "is not there any more", clusters: {} },
    { reason: "has a protocol that is not served", clusters: { "eu-1": { spec: { protocol: "fleet" } } } },
    { reason: "is suspended", clusters: { "eu-1": { annotations: { "rollcall.dev/reconcile": "disabled" } } } },
  ])("delays no member for an agent whose Cluster $reason", async ({ clusters }) => {
    const { queue, reconcile, isWritten } = await openAdmissions({ ...clusters, "eu-2": {} });
    const release = queue.holdMember("fleet", "eu-1");
    await reconcile("eu-2");
    expect(isWritten("eu-2")).toBe(false);
    release();
    await reconcile();
    expect(isWritten("eu-2")).toBe(true);
    expect(queue.counts.failed).toBe(0);
  });
});
