import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/core/json.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { cluster, clusterRegistrationToken: token, clusterGroup: group } = resourceTypes;
const header = "apiVersion: rollcall.dev/v1alpha1\n";

/** Everything that git declares. */
const fleet: Readonly<Record<string, string>> = {
  "clusters/eu-1.yaml": clusterFile("eu-1", "env: prod", "  deletionGracePeriod: 1h\n"),
  "clusters/eu-2.yaml": clusterFile("eu-2", "env: dev"),
  "clusters/eu-3.yaml": clusterFile("eu-3", "env: test"),
  "tokens/door.yaml": `${header}kind: ClusterRegistrationToken\nmetadata: {name: door}\nspec: {ttl: 240h}\n`,
  "rules/tiers.yaml": `${header}kind: ClusterLabels\nmetadata: {name: tiers}\nspec:\n  selector: {matchLabels: {env: prod}}\n  labels: {tier: gold}\n`,
  "rules/agents.yaml": `${header}kind: ClusterDefaults\nmetadata: {name: agents}\nspec:\n  selector: {matchLabels: {env: dev}}\n  agent: {logLevel: debug}\n`,
  "groups/prod.yaml": `${header}kind: ClusterGroup\nmetadata: {name: prod}\nspec: {selector: {matchLabels: {env: prod}}}\n`,
  "policies/env.yaml": policyFile(`has(object.metadata.labels) && "env" in object.metadata.labels`),
};

interface Undone {
  /** What the commit changes. */
  readonly change: Readonly<Record<string, string | null>>;
  /** What it does, seen at the hub before it is undone. */
  readonly isDone: (hub: Hub) => boolean;
}

/** The part of the hub that git declares: `Kind/name` to the content of the object. */
type Hub = ReadonlyMap<string, KubeObject>;

const labelOf = (hub: Hub, name: string, label: string): string | undefined =>
  hub.get(`Cluster/${name}`)?.metadata.labels?.[label];

const cases: Readonly<Record<string, Undone>> = {
  "a cluster that leaves, within its grace period": {
    change: { "clusters/eu-1.yaml": null },
    isDone: (hub) => hub.get("Cluster/eu-1")?.metadata.annotations?.[annotationKeys.leave] !== undefined,
  },
  "a cluster that has left": {
    change: { "clusters/eu-3.yaml": null },
    isDone: (hub) => !hub.has("Cluster/eu-3"),
  },
  "a cluster that came in": {
    change: { "clusters/us-1.yaml": clusterFile("us-1", "env: prod") },
    isDone: (hub) => hub.has("Cluster/us-1"),
  },
  "labels and settings of a cluster": {
    change: { "clusters/eu-2.yaml": clusterFile("eu-2", "env: prod", "  heartbeat: {periodSeconds: 30}\n") },
    isDone: (hub) => labelOf(hub, "eu-2", "env") === "prod" && labelOf(hub, "eu-2", "tier") === "gold",
  },
  "a rename": {
    change: {
      "clusters/eu-2.yaml": null,
      "clusters/eu-two.yaml": clusterFile("eu-two", "env: dev", "  previousName: eu-2\n"),
    },
    isDone: (hub) => hub.has("Cluster/eu-two"),
  },
  "a token that is taken away": {
    change: { "tokens/door.yaml": null },
    isDone: (hub) => !hub.has("ClusterRegistrationToken/door"),
  },
  "a token that lets more in": {
    change: { "tokens/door.yaml": fleet["tokens/door.yaml"]?.replace("240h", "24h") ?? null },
    isDone: (hub) => JSON.stringify(hub.get("ClusterRegistrationToken/door")?.["spec"]).includes("24h"),
  },
  "a rule of labels that is deleted": {
    change: { "rules/tiers.yaml": null },
    isDone: (hub) => labelOf(hub, "eu-1", "tier") === undefined,
  },
  "a rule of labels that changes": {
    change: { "rules/tiers.yaml": fleet["rules/tiers.yaml"]?.replace("gold", "lead") ?? null },
    isDone: (hub) => labelOf(hub, "eu-1", "tier") === "lead",
  },
  "settings by rule": {
    change: { "rules/agents.yaml": null },
    isDone: (hub) => !JSON.stringify(hub.get("Cluster/eu-2")?.["spec"]).includes("debug"),
  },
  "a group that is deleted": {
    change: { "groups/prod.yaml": null },
    isDone: (hub) => !hub.has("ClusterGroup/prod"),
  },
  "a group that selects others": {
    change: { "groups/prod.yaml": fleet["groups/prod.yaml"]?.replace("prod}}", "dev}}") ?? null },
    isDone: (hub) => JSON.stringify(hub.get("ClusterGroup/prod")?.["spec"]).includes("dev"),
  },
  "files that are ignored": {
    change: { ".rollcallignore": "clusters/eu-3.yaml\n" },
    isDone: (hub) => !hub.has("Cluster/eu-3"),
  },
};

describe("git revert", () => {
  let session: DaemonSession;
  let folder: { path: string; remove: () => Promise<void> };
  let tree: string;

  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    await session.repository.commit({ files: fleet, message: "Start\n" });
    folder = await makeTempFolder();
    tree = join(folder.path, "tree");
    await runGit(folder.path, ["clone", "-q", session.repository.path, tree]);
    await session.startDaemon({ spec: { deletionBudget: { minimum: 25 } } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  });
  afterAll(async () => {
    await session.close();
    await folder.remove();
  });

  async function readHub(): Promise<Hub> {
    const found = new Map<string, KubeObject>();
    for (const type of [cluster, token, group]) {
      const { items } = await session.api.list(type, { namespace: session.workspace });
      for (const object of items) found.set(`${type.kind}/${object.metadata.name}`, object);
    }
    return found;
  }

  /** What git decides, without when and how often. */
  function meaningOf(hub: Hub): unknown {
    return [...hub].sort().map(([key, { metadata, ...rest }]) => ({
      key,
      spec: rest["spec"],
      labels: metadata.labels,
      isLeaving: metadata.annotations?.[annotationKeys.leave] !== undefined,
      isMoving: metadata.annotations?.[annotationKeys.movedTo] !== undefined,
    }));
  }

  async function revertHead(): Promise<void> {
    await runGit(tree, ["pull", "-q", "--ff-only"]);
    await runGit(tree, ["revert", "--no-edit", "HEAD"]);
    await runGit(tree, ["push", "-q"]);
  }

  const readStatus = async (): Promise<Repository["status"]> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return ((await session.api.get(ref)) as Repository | undefined)?.status;
  };

  it.each(Object.keys(cases))("brings back %s", async (name) => {
    const undone = cases[name];
    if (!undone) throw new Error(`there is no case ${name}`);
    const before = meaningOf(await readHub());
    await session.repository.commit({ files: undone.change });
    await session.settle();
    await until(readHub, undone.isDone);
    await revertHead();
    expect(await session.settle()).toMatchObject({ isApplied: true });
    const after = await until(
      async () => meaningOf(await readHub()),
      (seen) => canonicalJson(seen) === canonicalJson(before),
    );
    expect(after).toEqual(before);
  });

  it("brings back a policy, and what it refused", async () => {
    await session.repository.commit({ files: { "policies/env.yaml": policyFile(`object.metadata.name == "nobody"`) } });
    expect((await session.settle()).errorCount).toBeGreaterThan(0);
    await revertHead();
    expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
    await session.repository.commit({ files: { "policies/env.yaml": null } });
    expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
    await revertHead();
    await session.settle();
    await session.repository.commit({ files: { "clusters/eu-2.yaml": clusterFile("eu-2", "team: a") } });
    expect(await session.settle()).toMatchObject({ isApplied: false, errorCount: 1 });
    await revertHead();
    expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
  });

  it("is on record, as every commit is: who, what came of it, and a line for each write", async () => {
    await session.repository.commit({ files: { "clusters/us-9.yaml": clusterFile("us-9", "env: dev") } });
    await session.settle();
    await revertHead();
    await session.settle();
    const commits = (await readStatus())?.recentCommits ?? [];
    expect(commits.length).toBeLessThanOrEqual(20);
    expect(commits.slice(0, 2)).toMatchObject([
      { author: "Test", outcome: "Applied", counts: { removals: 1, failed: 0, errors: 0, withheld: 0 } },
      { author: "Test", outcome: "Applied", counts: { changes: 1, removals: 0 } },
    ]);
    const line = session.log.lines.findLast((text) => text.includes("change applied"));
    expect(line).toContain(`"object":"Cluster/${session.workspace}/us-9"`);
    expect(line).toContain(`"change":"leave"`);
    expect(line).toContain(`"author":"Test <test@example.org>"`);
    expect(line).toContain(`"commit":"${await session.repository.head()}"`);
    expect(line).toContain(`"why":"clusters/us-9.yaml no longer declares it"`);
  });
});

function clusterFile(name: string, label: string, spec = ""): string {
  return `${header}kind: Cluster\nmetadata:\n  name: ${name}\n  labels: {${label}}\nspec:\n  displayName: ${name}\n${spec}`;
}

function policyFile(expression: string): string {
  return `${header}kind: Policy\nmetadata: {name: env}\nspec:\n  scope: {kinds: [Cluster]}\n  rules:\n    - expression: '${expression}'\n      message: a cluster needs an env\n`;
}
