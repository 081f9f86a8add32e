import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { HubChange } from "../../../src/model/hub-change.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { RevertedEdit } from "../../../src/planning/hub-edits.ts";
import { readHubChanges } from "../../../src/reconcile/read-hub-changes.ts";
import { readFileAt } from "../../../src/review/read-file.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "./removals/memory-git.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const fileOf = (name: string, more = ""): string =>
  `apiVersion: ${apiVersion}\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: {displayName: A}\n${more}`;
const memberFile =
  "apiVersion: cluster.kubernetes-fleet.io/v1beta1\nkind: MemberCluster\nmetadata: {name: m}\n" +
  "spec: {heartbeatPeriodSeconds: 60, identity: {kind: ServiceAccount, name: m, namespace: fleet-system}}\n";
const committed = [{ policy: "Commit" as const, deletions: "Propose" as const }];

interface Given {
  /** What is on the hub. */
  readonly live?: readonly KubeObject[];
  readonly deleted?: readonly KubeObject[];
  readonly files?: Readonly<Record<string, string>>;
  readonly spec?: Partial<Repository["spec"]>;
  /** Labels that the agent of the Cluster set. */
  readonly agentLabels?: Record<string, string>;
  /** What a person set, and the hub reverted. */
  readonly reverted?: readonly RevertedEdit[];
}

const source = sourceOptions(() => undefined);
const git = createMemoryGit();
/** A commit of the file of `a`, as the hub has it. */
const applied = git.commit({ "a.yaml": fileOf("a"), "m.yaml": memberFile }, "First\n");

async function read({ live = [], deleted = [], files = {}, spec = {}, agentLabels, reverted = [] }: Given) {
  const head = git.commit(files, "Change\n");
  const snapshot = await readSource(head, undefined, undefined, { git, ...source });
  const repository: Repository = {
    ...{ apiVersion, kind: "Repository", metadata: { name: "fleet", namespace: "system" } },
    spec: { url: "memory", onHubObjects: committed, ...spec },
  };
  const forgotten: string[] = [];
  const view = {
    list: (type: { kind: string }) => live.filter(({ kind }) => kind === type.kind),
    get: ({ type, name }: ObjectRef) => live.find(({ kind, metadata }) => kind === type.kind && metadata.name === name),
    memberStateOf: () => (agentLabels ? { labels: { agent: agentLabels } } : undefined),
  };
  const { changes, refused } = await readHubChanges({
    ...{ repository, snapshot, view: view as never, deleted },
    types: [
      resourceTypes.cluster,
      resourceTypes.clusterGroup,
      resourceTypes.memberCluster,
      resourceTypes.managedCluster,
    ],
    reverted: {
      of: ({ kind }) => (kind === "MemberCluster" ? reverted : []),
      forget: ({ metadata }) => void forgotten.push(metadata.name),
    },
    planner: { readFileAt: (commit, path) => readFileAt(commit, path, { git, ...source }) },
    listPaths: async () => new Set((await git.listFiles(head)).map(({ path }) => path)),
  });
  return { changes, refused: refused.map(({ message }) => message), forgotten };
}

/** A Cluster that a person made. */
function made(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion,
    kind: "Cluster",
    metadata: { name, namespace: "fleet", ...metadata },
    spec: { displayName: "N" },
  };
}

const ofKubectl = {
  manager: "kubectl-edit",
  operation: "Update" as const,
  fieldsV1: { "f:spec": { "f:displayName": {} } },
};

/** The Cluster of `a.yaml`, whose display name a person changed. */
function edited(metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return made("a", {
    labels: { "rollcall.dev/repository": "system.fleet" },
    annotations: { "rollcall.dev/source-commit": applied, "rollcall.dev/source-file": "a.yaml" },
    managedFields: [{ manager: "rollcall-git", operation: "Apply", fieldsV1: {} }, ofKubectl],
    ...metadata,
  });
}

const pathsOf = (changes: readonly HubChange[]): string[] => changes.map(({ file, path }) => `${file.kind} ${path}`);

describe("a Cluster that a person made on the hub", () => {
  it("becomes a file, and names the managers that made it", async () => {
    const managers = ["kubectl-create", "kubectl-create", "rollcall-hub", ""];
    const managedFields = [
      ...managers.map((manager) => ({ manager, operation: "Update" as const, fieldsV1: {} })),
      { manager: "somebody", operation: "Update" as const, subresource: "status", fieldsV1: {} },
    ];
    const { changes } = await read({ live: [made("b", { managedFields })] });
    expect(changes).toMatchObject([
      { object: "Cluster/fleet/b", workspace: "fleet", policy: "Commit", managers: ["kubectl-create"], users: [] },
    ]);
    expect(changes[0]?.file).toMatchObject({
      kind: "Create",
      text: expect.stringContaining('displayName: "N"') as string,
    });
    expect(pathsOf(changes)).toEqual(["Create clusters/fleet/b.yaml"]);
  });

  it.each<[string, Given, string[]]>([
    [
      "in the order of names",
      { live: [made("c"), made("b")] },
      ["Create clusters/fleet/b.yaml", "Create clusters/fleet/c.yaml"],
    ],
    [
      "at the path that the Repository sets",
      { live: [made("b")], spec: { proposals: { path: "all/{name}.yaml" } } },
      ["Create all/b.yaml"],
    ],
    ["not under the policy Ignore", { live: [made("b")], spec: { onHubObjects: [{ policy: "Ignore" }] } }, []],
    [
      "not in a workspace of no entry",
      { live: [made("b")], spec: { onHubObjects: [{ policy: "Commit", workspaces: ["prod"] }] } },
      [],
    ],
    [
      "not in a namespace that is no workspace of the Repository",
      { live: [made("b")], spec: { workspaces: ["prod"] } },
      [],
    ],
    [
      "in a workspace of the Repository",
      { live: [made("b")], spec: { workspaces: ["prod", "fl*"] } },
      ["Create clusters/fleet/b.yaml"],
    ],
    ["not while it is being deleted", { live: [made("b", { deletionTimestamp: "2026-01-01T00:00:00Z" })] }, []],
    [
      "not when another program deploys it",
      { live: [made("b", { ownerReferences: [{ apiVersion, kind: "X", name: "x", uid: "u", controller: true }] })] },
      [],
    ],
    [
      "with its path changed where that is taken",
      { live: [made("b")], spec: { proposals: { path: "all/{name}" } }, files: { "all/b": "x" } },
      ["Create all/b-3e7d85cc"],
    ],
    [
      "of another kind than Cluster at the usual path",
      { live: [{ ...made("g"), kind: "ClusterGroup" }], spec: { proposals: { path: "all/{name}.yaml" } } },
      ["Create groups/fleet/g.yaml"],
    ],
    ["not when git applied it", { live: [{ ...edited(), kind: "ClusterGroup" }] }, []],
    ["not when a file declares it already", { live: [made("a")], files: { "a.yaml": fileOf("a") } }, []],
  ])("%s", async (_what, given, paths) => {
    expect(pathsOf((await read(given)).changes)).toEqual(paths);
  });

  it("has a name of its own where a file has its path", async () => {
    const { changes } = await read({ live: [made("b")], files: { "clusters/fleet/b.yaml": "kind: Other\n" } });
    expect(changes[0]?.path).toMatch(/^clusters\/fleet\/b-[0-9a-f]{8}\.yaml$/u);
  });

  it("is refused while a file with an error may declare it", async () => {
    const { changes, refused } = await read({
      live: [made("b")],
      files: { "b.yaml": fileOf("b").replace("spec", "spce") },
    });
    expect([changes, refused]).toEqual([[], [expect.stringContaining("Correct that file first")]]);
  });
});

describe("a Cluster that a person edited on the hub", () => {
  const files = { "a.yaml": fileOf("a") };

  it("becomes an edit of its document", async () => {
    const { changes, forgotten } = await read({ live: [edited()], files });
    expect(changes).toMatchObject([
      {
        ...{ path: "a.yaml", managers: ["kubectl-edit"], policy: "Commit" },
        file: { kind: "Edit", index: 0, edits: [{ path: ["spec", "displayName"], value: "N" }] },
      },
    ]);
    expect(changes[0]).not.toHaveProperty("isReverted");
    expect(forgotten).toEqual([]);
  });

  it.each<[string, Given]>([
    [
      "it is another Repository's",
      { live: [edited({ labels: { "rollcall.dev/repository": "system.other" } })], files },
    ],
    ["no file declares it any more", { live: [edited()] }],
    [
      "its file declares the same by now",
      { live: [edited()], files: { "a.yaml": fileOf("a").replace(": A}", ": N}") } },
    ],
    [
      "nobody changed it",
      {
        live: [
          {
            ...edited({ managedFields: [{ manager: "rollcall-git", operation: "Apply", fieldsV1: {} }] }),
            spec: { displayName: "A" },
          },
        ],
        files,
      },
    ],
  ])("changes nothing when %s", async (_reason, given) => {
    expect(pathsOf((await read(given)).changes)).toEqual([]);
  });

  it("names ten of the labels that stay as git has them", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `l${index + 10}`);
    const fieldsV1 = { "f:metadata": { "f:labels": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) } };
    const managedFields = [
      { manager: "rollcall-git", operation: "Apply" as const, fieldsV1: {} },
      { manager: "kubectl-edit", operation: "Update" as const, fieldsV1 },
    ];
    const values = Object.fromEntries(names.map((name) => [name, "x"]));
    const labels = { "rollcall.dev/repository": "system.fleet", ...values };
    const live = [{ ...edited({ managedFields, labels }), spec: { displayName: "A" } }];
    const [refused = ""] = (await read({ live, files, agentLabels: values })).refused;
    expect(refused.match(/metadata\.labels\[l\d\d\]/gu)).toHaveLength(10);
  });

  it("stays as git has it while nothing is known of what was applied", async () => {
    const { changes, refused } = await read({ live: [edited({ annotations: {} })], files });
    expect([changes, refused]).toEqual([[], ["It stays as git has it: spec.displayName (git changed it, too)."]]);
  });

  it("is refused for a label that its agent sets, and is not kept in mind", async () => {
    const fieldsV1 = { "f:metadata": { "f:labels": { "f:site": {} } } };
    const managedFields = [
      { manager: "rollcall-git", operation: "Apply" as const, fieldsV1: {} },
      { manager: "kubectl-edit", operation: "Update" as const, fieldsV1 },
    ];
    const labels = { "rollcall.dev/repository": "system.fleet", site: "x" };
    const live = { ...edited({ managedFields, labels }), spec: { displayName: "A" } };
    const { changes, refused, forgotten } = await read({ live: [live], files, agentLabels: { site: "y" } });
    expect([changes, refused, forgotten]).toEqual([
      [],
      [expect.stringMatching(/^It stays as git has it: .*site/u)],
      ["a"],
    ]);
    expect(pathsOf((await read({ live: [live], files })).changes)).toEqual(["Edit a.yaml"]);
  });
});

describe("an object of another project's kind", () => {
  const types = { MemberCluster: resourceTypes.memberCluster, ManagedCluster: resourceTypes.managedCluster };
  const kinds: ("MemberCluster" | "ManagedCluster")[] = ["MemberCluster", "ManagedCluster"];
  const spec: Given["spec"] = { defaultWorkspace: "fleet", onHubObjects: [{ policy: "Commit", kinds }] };
  const files = { "a.yaml": fileOf("a"), "m.yaml": memberFile };
  const ofSite = { "f:metadata": { "f:labels": { "f:site": {} } } };

  /** The object of a Cluster, with a label that a person set with kubectl. */
  function labelled(
    kind: keyof typeof types,
    {
      namespace,
      cluster = "a",
      fieldsV1 = ofSite,
    }: { namespace?: string; cluster?: string; fieldsV1?: JsonObject } = {},
  ): KubeObject {
    return {
      ...{ apiVersion: `${types[kind].group}/${types[kind].version}`, kind },
      metadata: {
        ...{ name: "m", labels: { "rollcall.dev/cluster": cluster, site: "x" } },
        ...(namespace === undefined ? {} : { namespace }),
        managedFields: [{ manager: "kubectl-label", operation: "Update", fieldsV1 }],
      },
    };
  }
  const unchanged = {
    ...edited({ managedFields: [{ manager: "rollcall-git", operation: "Apply", fieldsV1: {} }] }),
    spec: { displayName: "A" },
  };

  const fieldsV1 = { "f:spec": { "f:heartbeatPeriodSeconds": {} } };
  const withPeriod = { ...labelled("MemberCluster", { fieldsV1 }), spec: { heartbeatPeriodSeconds: 30 } };

  it.each<[string, Given, readonly string[], readonly unknown[]]>([
    [
      "becomes an edit of the file of its Cluster",
      { live: [unchanged, labelled("MemberCluster")] },
      ["Edit a.yaml"],
      [],
    ],
    [
      "stays where nothing is known of what was applied to its Cluster",
      { live: [labelled("MemberCluster")] },
      [],
      ["It stays as git has it: metadata.labels[site] (git changed it, too)."],
    ],
    [
      "is nobody's without a default workspace",
      { live: [unchanged, labelled("MemberCluster")], spec: { ...spec, defaultWorkspace: undefined } },
      [],
      [],
    ],
    [
      "stays where an agent may write it, too",
      { live: [unchanged, labelled("ManagedCluster", { namespace: "fleet" })] },
      [],
      [expect.stringContaining("an agent may write labels of a ManagedCluster")],
    ],
    ["does not have its own fields in the file of a Cluster", { live: [unchanged, withPeriod] }, [], []],
    [
      "is not of a default workspace that it is outside of",
      { live: [unchanged, labelled("ManagedCluster", { namespace: "prod" })] },
      [],
      [],
    ],
    [
      "is refused when it would get rights on the hub",
      {
        live: [
          { ...labelled("MemberCluster"), metadata: { name: "n" }, spec: { identity: { kind: "User", name: "u" } } },
        ],
      },
      [],
      [expect.stringContaining("spec.identity names a User, which would get rights on the hub")],
    ],
  ])("%s", async (_what, given, paths, refusals) => {
    const { changes, refused } = await read({ spec, files, ...given });
    expect([pathsOf(changes), refused]).toEqual([paths, refusals]);
  });

  it("becomes an edit of its own file with what the hub has reverted since, of named managers and others", async () => {
    const member = { ...labelled("MemberCluster", { cluster: "m" }), spec: { heartbeatPeriodSeconds: 60 } };
    const cluster = made("m", {
      annotations: { "rollcall.dev/source-commit": applied, "rollcall.dev/source-file": "m.yaml" },
    });
    const reverted = [
      { path: ["spec", "taints"], manager: "kubectl-edit", value: [{ key: "k", effect: "NoSchedule" }] },
      { path: ["spec", "heartbeatPeriodSeconds"], manager: "", value: undefined },
    ];
    const { changes, forgotten } = await read({ spec, files, live: [cluster, member], reverted });
    expect(changes).toMatchObject([
      {
        ...{
          object: "MemberCluster.cluster.kubernetes-fleet.io/m",
          path: "m.yaml",
          isReverted: true,
          managers: ["kubectl-label", "kubectl-edit"],
        },
        file: {
          edits: [
            { path: ["metadata", "labels", "site"] },
            { path: ["spec", "heartbeatPeriodSeconds"], value: undefined },
            { path: ["spec", "taints"] },
          ],
        },
      },
    ]);
    expect(forgotten).toEqual([]);
  });

  it("becomes an edit of its own file when the hub has reverted all of it", async () => {
    const { metadata, ...member } = labelled("MemberCluster", { cluster: "m" });
    const { name, labels = {} } = metadata;
    const live = { ...member, metadata: { name, labels }, spec: { heartbeatPeriodSeconds: 60 } };
    const cluster = made("m", {
      annotations: { "rollcall.dev/source-commit": applied, "rollcall.dev/source-file": "m.yaml" },
    });
    const reverted = [{ path: ["spec", "heartbeatPeriodSeconds"], manager: "kubectl-edit", value: 30 }];
    const { changes } = await read({ spec, files, live: [cluster, live], reverted });
    expect(changes).toMatchObject([{ managers: ["kubectl-edit"], file: { edits: [{ value: 30 }] } }]);
  });
});

describe("a Cluster that a person deleted on the hub", () => {
  const files = { "all.yaml": `${fileOf("z")}---\n${fileOf("a")}` };

  it("becomes the removal of its document", async () => {
    const { changes } = await read({ deleted: [edited()], files });
    expect(changes).toMatchObject([
      { path: "all.yaml", policy: "Propose", managers: [], users: [], file: { kind: "Delete", index: 1 } },
    ]);
  });

  it.each<[string, Given]>([
    ["the policy ignores deletions", { deleted: [edited()], files, spec: { onHubObjects: [{ policy: "Commit" }] } }],
    ["no file declares it", { deleted: [edited()] }],
  ])("changes nothing when %s", async (_reason, given) => {
    expect((await read(given)).changes).toEqual([]);
  });

  it("is removed once, though it was deleted in two ways", async () => {
    expect(pathsOf((await read({ deleted: [edited(), edited()], files })).changes)).toEqual(["Delete all.yaml"]);
  });
});
