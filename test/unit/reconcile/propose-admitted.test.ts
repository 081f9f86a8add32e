import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { CommitRequest } from "../../../src/git/git.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { Member } from "../../../src/model/member.ts";
import { AdmittedProposer } from "../../../src/reconcile/propose-admitted.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { clusterOf } from "../hub/objects.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { repository } from "./phase-builders.ts";
import { createMemoryGit } from "./removals/memory-git.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

const fileOf = (name: string, spec = "{}"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: ${spec}\n`;

/** A cluster that the token admitted. */
function member(name: string, token = "edge", clientID = `uid-${name}`): Member {
  const state: MemberState = {
    ...{ clientID, origin: { isDeclared: false, spec: {} } },
    join: { token, time: "2026-01-01T00:00:00Z", registration: "r", initiated: "agent" },
  };
  const cluster = clusterOf(name, { metadata: { labels: { "rollcall.dev/repository": "rollcall.fleet" } } });
  return { workspace: "fleet", name, cluster, state, children: [] };
}

/** A proposer for a hub with these clusters and a branch with these files. */
function open(first: readonly Member[], files: Readonly<Record<string, string>> = {}) {
  const git = createMemoryGit();
  git.commit(files, "First\n");
  const pushes: CommitRequest[] = [];
  const events: string[] = [];
  let texts: readonly string[] = [];
  const scene = { members: first };
  const listeners = new Set<(change: unknown) => void>();
  const observed = createMemoryHub().openView();
  const planner = createRepositoryPlanner({
    git,
    source: sourceOptions(() => undefined),
    checkFleet: fleetChecker("system"),
    observed,
    rememberedLabels: () => undefined,
    nowMs: () => 0,
  });
  const view = {
    isWorkspace: (name: string) => name === "fleet",
    memberOf: (_workspace: string, name: string) => scene.members.find((each) => each.name === name),
    list: () => scene.members.map(({ cluster }) => cluster),
    subscribe: (listener: (change: unknown) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const join = (joined: Member): void => {
    const { name, cluster: object } = joined;
    const before = scene.members.find((each) => each.name === name)?.cluster;
    scene.members = [...scene.members.filter((each) => each.name !== name), joined];
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name };
    for (const listener of listeners) listener({ ref, object, before, isPlanned: false });
  };
  const proposer = new AdmittedProposer({
    git: {
      ...git,
      fetchHead: () => Promise.resolve(undefined),
      commitAndPush: (request: CommitRequest) => {
        pushes.push(request);
        return Promise.resolve(`commit-${pushes.length}`);
      },
    },
    ...{ planner, view, clock: createManualClock(), log: silentLog, hubFacts: () => ({ hubId: "hub-1" }) },
    events: {
      record: ({ reason, regarding }: { reason: string; regarding: { metadata: { name: string } } }) =>
        void events.push(`${reason} ${regarding.metadata.name}`),
    },
  } as never);
  const propose = async (spec: Partial<Repository["spec"]> = { proposals: { clusters: "All" } }) => {
    const snapshot = await planner.read(repository, git.ids.at(-1) ?? "");
    const { signal } = new AbortController();
    pushes.length = 0;
    const branches = await proposer.propose({
      repository: { ...repository, spec: { ...repository.spec, ...spec } },
      snapshot,
      signal,
    });
    const messages = pushes.map(({ message }) => message);
    const pushed = pushes.map(({ branch, changes }) => [branch, ...changes.keys()].join(" "));
    texts = [...messages, ...branches.map(({ body }) => body)];
    return { pushed, branches: branches.map(({ branch }) => branch) };
  };
  return { propose, join, events, git, texts: () => texts };
}

const edge = "rollcall/registered/fleet/edge";

describe("AdmittedProposer", () => {
  it("proposes the files of clusters that no file declares, on a branch for each token", async () => {
    const { propose } = open([member("a"), member("b", "other"), member("c")], { "c.yaml": fileOf("c") });
    const other = "rollcall/registered/fleet/other";
    expect(await propose()).toEqual({
      pushed: [`${edge} clusters/fleet/a.yaml`, `${other} clusters/fleet/b.yaml`],
      branches: [edge, other],
    });
  });

  it.each<[string, readonly Member[], Readonly<Record<string, string>>, Partial<Repository["spec"]> | undefined]>([
    ["where the Repository does not ask for them", [member("a")], {}, { proposals: { clusters: "Pending" } }],
    ["without a registered cluster", [], {}, undefined],
    ["of declared clusters", [member("a")], { "a.yaml": fileOf("a") }, undefined],
    ["of a cluster that a file with errors may declare", [member("a")], { "a.yaml": fileOf("a", "{x: 1}") }, undefined],
  ])("proposes nothing %s", async (_reason, members, files, spec) => {
    const { propose, events } = open(members, files);
    expect([await propose(spec), events]).toEqual([{ pushed: [], branches: [] }, []]);
  });

  it("gives a file a name of its own where another one has its path", async () => {
    const { pushed } = await open([member("a")], { "clusters/fleet/a.yaml": "kind: Other\n" }).propose();
    expect(pushed).toEqual([expect.stringMatching(/ clusters\/fleet\/a-[0-9a-f]{8}\.yaml$/u)]);
  });

  it("proposes the other clusters of a token when the file of one would be refused, and reports that once", async () => {
    const { propose, events, join } = open([member("a"), member("b", "edge", "uid-a")]);
    expect((await propose()).pushed).toEqual([`${edge} clusters/fleet/a.yaml`]);
    expect(events).toEqual(["NotProposed b"]);
    join(member("c"));
    await propose();
    expect(events).toEqual(["NotProposed b"]);
    const refused = open([member("b")], { "c.yaml": fileOf("c", "{clientID: uid-b}") });
    expect(await refused.propose()).toEqual({ pushed: [], branches: [] });
  });

  it("reports each of several clusters whose files would be refused once", async () => {
    const { propose, events, join } = open([member("a"), member("b", "edge", "uid-a"), member("d", "edge", "uid-a")]);
    await propose();
    join(member("c"));
    await propose();
    expect(events).toEqual(["NotProposed b", "NotProposed d"]);
  });

  it("A237 proposes what is behind hundreds of refused files in a later run, though nothing has changed", async () => {
    const refused = ["edge", "other"].flatMap((token) =>
      Array.from({ length: 100 }, (_, number) => member(`${token}-${number}`, token, "uid-of-all")),
    );
    const { propose } = open([...refused, member("z", "last")]);
    const branches: string[] = [];
    for (let run = 0; run < 4; run++) branches.push(...(await propose()).branches);
    expect(branches).toContain("rollcall/registered/fleet/last");
  });

  it("names in the commit and in the pull request what is declared", async () => {
    const { propose, texts } = open([member("a"), member("b")]);
    await propose();
    const [message, body] = texts();
    expect(message).toContain("\n- Cluster/fleet/a: clusters/fleet/a.yaml\n- Cluster/fleet/b: ");
    expect(body).toContain("\n- fleet/a\n- fleet/b\n");
  });

  it("writes the branch anew when what is known of a cluster has changed", async () => {
    const { propose, join } = open([member("a")]);
    await propose();
    join(member("a", "edge", "uid-of-another-agent"));
    expect((await propose()).pushed).toEqual([`${edge} clusters/fleet/a.yaml`]);
  });

  it("writes nothing again while nothing has changed, and the branch anew with a further cluster", async () => {
    const { propose, join, git } = open([member("a")]);
    await propose();
    expect(await propose()).toEqual({ pushed: [], branches: [edge] });
    join(member("b"));
    expect((await propose()).pushed).toEqual([`${edge} clusters/fleet/a.yaml clusters/fleet/b.yaml`]);
    git.commit({ "a.yaml": fileOf("a"), "b.yaml": fileOf("b") }, "Merge\n");
    expect((await propose()).pushed).toEqual([]);
  });
});
