import { describe, expect, it } from "vitest";
import { grantRegistration } from "../../../src/hub/grant-registration.ts";
import type { Granted } from "../../../src/hub/provisional-members.ts";
import { clusterOf } from "./objects.ts";
import { tokenSubject } from "../join/hub-scene.ts";
import { openMemberWorld } from "./members/member-world.ts";

const cluster = clusterOf("eu-1", { metadata: { labels: { zone: "file" }, annotations: { "x/y": "z" } } });
const state = { clientID: "uid-1", labels: { agent: { a: "1", both: "agent" }, token: { both: "token" } } };
const granted: Granted = { kind: "granted", clusterName: "eu-1", cluster, state, statusWrites: [] } as never;
const token = tokenSubject("edge", {}, {
  metadata: { name: "edge", namespace: "fleet", labels: { "rollcall.dev/repository": "repo" } },
}); // oxfmt-ignore

/** What happened in order: the member is held, requests, and it is released. */
async function grant(decision: Granted, subject: typeof token | undefined = token, fails = false) {
  const world = await openMemberWorld();
  await world.addCluster("other", {});
  const { write } = world.scopeOf("other");
  const order: string[] = [];
  const done = grantRegistration(
    {
      updateState: async (place, compute) => {
        order.push(`state ${place.name}`);
        return write.updateState(place, compute);
      },
      apply: async (object) => {
        order.push(`apply ${object.metadata.name}`);
        if (fails) throw new Error("refused");
        return write.apply(object);
      },
    },
    decision,
    {
      workspace: "fleet",
      token: subject,
      holdMember: (_workspace, name) => {
        order.push(`hold ${name}`);
        return () => void order.push(`release ${name}`);
      },
    },
  );
  await done.catch(() => order.push("failed"));
  return { order, world };
}

describe("grantRegistration", () => {
  it("writes the state, then the Cluster, and holds the member meanwhile", async () => {
    const { order, world } = await grant(granted);
    expect(order).toEqual(["hold eu-1", "state eu-1", "apply eu-1", "release eu-1"]);
    expect(world.stateOf("eu-1")).toMatchObject({ clientID: "uid-1", origin: { isDeclared: false } });
  });

  it("writes no Cluster where there is one", async () => {
    const { cluster: _, ...known } = granted;
    expect((await grant(known)).order).toEqual(["hold eu-1", "state eu-1", "release eu-1"]);
  });

  it("releases the member when a write fails", async () => {
    expect((await grant(granted, token, true)).order.slice(-2)).toEqual(["release eu-1", "failed"]);
  });

  it.each([
    { reason: "of a token of a Repository", subject: token, repository: "repo" },
    { reason: "of a token without one", subject: tokenSubject("edge"), repository: undefined },
  ])("gives the Cluster the labels $reason: the token's before the agent's", async ({ subject, repository }) => {
    const { world } = await grant(granted, subject);
    const { labels, annotations } = world.clusterOf("eu-1")?.metadata ?? {};
    const own = repository === undefined ? {} : { "rollcall.dev/repository": repository };
    expect(labels).toEqual({ zone: "file", a: "1", both: "token", ...own });
    expect(annotations).toEqual({ "x/y": "z" });
  });

  it("gives the Cluster no source file: it has none", async () => {
    const metadata = { ...cluster.metadata, annotations: { "rollcall.dev/source-file": "a.yaml", "x/y": "z" } };
    const { world } = await grant({ ...granted, cluster: { ...cluster, metadata } });
    expect(world.clusterOf("eu-1")?.metadata.annotations).toEqual({ "x/y": "z" });
  });
});
