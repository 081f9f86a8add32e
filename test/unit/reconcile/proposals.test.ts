import { describe, expect, it } from "vitest";
import type { CommitRequest } from "../../../src/git/git.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { Proposal } from "../../../src/model/proposal.ts";
import { proposedPath, ProposalBranches } from "../../../src/reconcile/proposals.ts";
import type { ProposalInputs } from "../../../src/reconcile/proposals.ts";
import { readWithFiles } from "../../../src/review/read-with-files.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "./removals/memory-git.ts";

const [key, otherKey] = ["1", "2"].map((digit) => `sha256:${digit.repeat(64)}`);
const keys = [key ?? ""];

function proposalOf(
  name: string,
  spec: Cluster["spec"] = { clientID: "uid-1" },
  fields: Partial<Proposal> = {},
): Proposal {
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name },
    ...(spec ? { spec } : {}),
  };
  return { workspace: "fleet", token: "edge", registration: "r1", cluster, ...fields };
}

const fileOf = (name: string, spec: string, namespace = "fleet", apiVersion = "rollcall.dev/v1alpha1"): string =>
  `apiVersion: ${apiVersion}\nkind: Cluster\nmetadata: {name: ${name}${namespace && `, namespace: ${namespace}`}}\nspec: ${spec} # kept\n`;

/** What is pushed for these requests on top of these files, by branch. */
async function propose(
  proposals: readonly Proposal[],
  files: Readonly<Record<string, string>> = {},
  changes: Partial<ProposalInputs> = {},
) {
  const git = createMemoryGit();
  const head = git.commit(files, "First\n");
  const pushed: CommitRequest[] = [];
  let listings = 0;
  const options = { git, ...sourceOptions(() => undefined) };
  const branches = new ProposalBranches({
    ...git,
    listFiles: (...args) => {
      listings += 1;
      return git.listFiles(...args);
    },
    fetchHead: () => Promise.resolve(undefined),
    commitAndPush: (request) => {
      pushed.push(request);
      return Promise.resolve(`commit-${pushed.length}`);
    },
  });
  const inputs: ProposalInputs = {
    snapshot: await readSource(head, undefined, undefined, options),
    readWithFiles: (snapshot, texts) => readWithFiles(snapshot, texts, options),
    proposals,
    tokens: ["fleet/edge"],
    owner: { hubId: "hub-1", repository: "system.fleet" },
    defaultWorkspace: undefined,
    nowMs: 0,
    signal: new AbortController().signal,
    ...changes,
  };
  const { branches: requests, unread } = await branches.sync(inputs);
  const contents = pushed.map(({ branch, changes: written }) => [branch, Object.fromEntries(written)] as const);
  return {
    requests,
    unread,
    pushed,
    contents: Object.fromEntries(contents),
    again: () => branches.sync(inputs),
    listings: () => listings,
  };
}

describe("ProposalBranches", () => {
  it("proposes a file of each waiting cluster, on one branch for each token", async () => {
    const others = [proposalOf("b"), proposalOf("c", {}, { token: "other" })];
    const { contents, requests } = await propose([proposalOf("a"), ...others]);
    const head = (name: string) => `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${name}\n`;
    expect(contents).toEqual({
      "rollcall/join/fleet/edge": {
        "clusters/fleet/a.yaml": `${head("a")}spec:\n  clientID: uid-1\n`,
        "clusters/fleet/b.yaml": `${head("b")}spec:\n  clientID: uid-1\n`,
      },
      "rollcall/join/fleet/other": { "clusters/fleet/c.yaml": `${head("c")}spec: {}\n` },
    });
    expect(requests.map(({ branch, title }) => [branch, title])).toEqual([
      ["rollcall/join/fleet/edge", "Admit clusters by token fleet/edge"],
      ["rollcall/join/fleet/other", "Admit clusters by token fleet/other"],
    ]);
  });

  it.each<[string, Cluster["spec"], string, boolean]>([
    ["it names the agent", { clientID: "uid-1" }, "{clientID: uid-1}", false],
    [
      "it names the agent and its keys",
      { clientID: "uid-1", identity: { keys } },
      `{clientID: uid-1, identity: {keys: ["${key}", "${otherKey}"]}}`,
      false,
    ],
    [
      "it lacks a key of the agent",
      { clientID: "uid-1", identity: { keys } },
      `{clientID: uid-1, identity: {keys: ["${otherKey}"]}}`,
      true,
    ],
    ["it names no keys", { clientID: "uid-1", identity: { keys } }, "{clientID: uid-1}", true],
    ["it names another agent", { clientID: "uid-1" }, "{clientID: uid-2}", true],
    ["the request names no agent", {}, "{}", true],
  ])("changes the file of a declared cluster unless it is as asked: %s", async (_reason, spec, declared, isChanged) => {
    const { contents } = await propose([proposalOf("a", spec)], { "x/a.yaml": fileOf("a", declared) });
    expect(Object.values(contents).flatMap((files) => Object.keys(files))).toEqual(isChanged ? ["x/a.yaml"] : []);
  });

  it("writes who the agent is into the file that declares the cluster, and keeps the rest of it", async () => {
    const both = `${fileOf("a", "{displayName: A}")}---\n${fileOf("b", "{displayName: B}")}`;
    const requests = [
      proposalOf("a", { clientID: "uid-1", identity: { keys } }),
      proposalOf("b", { clientID: "uid-2" }),
    ];
    const { contents } = await propose(requests, { "both.yaml": both });
    const text = contents["rollcall/join/fleet/edge"]?.["both.yaml"];
    expect(text).toMatch(/displayName: A, clientID: uid-1, identity: .*sha256:1{64}.* # kept/u);
    expect(text).toMatch(/displayName: B, clientID: uid-2 ?\} # kept/u);
  });

  it("proposes a file that is read as it was written, whatever text an agent gives", async () => {
    const { contents } = await propose([proposalOf("a", { clientID: "0o17", displayName: "no" })]);
    const text = contents["rollcall/join/fleet/edge"]?.["clusters/fleet/a.yaml"];
    expect(text).toMatch(/\n {2}clientID: "0o17"\n {2}displayName: "no"\n/u);
  });

  it.each<[string, string, Partial<ProposalInputs>, string]>([
    ["of the default workspace", fileOf("a", "{}", ""), { defaultWorkspace: "fleet" }, "a.yaml"],
    ["of no workspace", fileOf("a", "{}", ""), {}, "clusters/fleet/a.yaml"],
    ["of another workspace", fileOf("a", "{}", "other"), {}, "clusters/fleet/a.yaml"],
    ["of another project's kind", fileOf("a", "{}", "fleet", "fleet.cattle.io/v1alpha1"), {}, "clusters/fleet/a.yaml"],
    ["of another kind", fileOf("a", "{}").replace("Cluster", "ClusterGroup"), {}, "clusters/fleet/a.yaml"],
  ])("searches the cluster among declared ones: %s", async (_reason, text, changes, path) => {
    const { contents } = await propose([proposalOf("a")], { "a.yaml": text }, changes);
    expect(Object.keys(contents["rollcall/join/fleet/edge"] ?? {})).toEqual([path]);
  });

  it("A239 changes no file that exists and is not read, whatever name an agent asks for", async () => {
    const files = { ".rollcallignore": "/clusters/fleet/values.yaml\n", "clusters/fleet/values.yaml": "of: another\n" };
    const { contents } = await propose([proposalOf("values")], files);
    const paths = Object.keys(contents["rollcall/join/fleet/edge"] ?? {});
    expect(paths).toEqual([expect.stringMatching(/^clusters\/fleet\/values-[0-9a-f]{8}\.yaml$/u)]);
  });

  it.each<[string, Readonly<Record<string, string>>, string | undefined, readonly string[]]>([
    [
      "it is ignored",
      { ".rollcallignore": "clusters/\n" },
      undefined,
      ["clusters/fleet/a.yaml", "clusters/fleet/b.yaml"],
    ],
    ["its ending is of no manifest", {}, "{name}.txt", ["a.txt", "b.txt"]],
    ["one of them is ignored", { ".rollcallignore": "a.yaml\n" }, undefined, ["clusters/fleet/a.yaml"]],
  ])("proposes no file that would not be read, and names it: %s", async (_reason, files, path, unread) => {
    const asked = [proposalOf("a"), proposalOf("b"), proposalOf("declared")];
    const declared = { "x/declared.yaml": fileOf("declared", "{}") };
    const proposed = await propose(asked, { ...files, ...declared }, path === undefined ? {} : { path });
    expect(proposed.unread).toEqual(unread);
    const branch = "rollcall/join/fleet/edge";
    const others = ["clusters/fleet/b.yaml", "x/declared.yaml"].slice(unread.length - 1);
    expect(Object.keys(proposed.contents[branch] ?? {})).toEqual(others);
    expect(proposed.pushed[0]?.message).not.toContain("fleet/a");
  });

  it("lists the files of a commit once, however long requests wait", async () => {
    const { again, listings } = await propose([proposalOf("a")]);
    const before = listings();
    await again();
    expect([before > 0, listings() - before]).toEqual([true, 0]);
  });

  it("gives a file a name of its own where another one has its path", async () => {
    const path = "all/{name}.yaml";
    const twins = [proposalOf("a"), proposalOf("a", undefined, { workspace: "other" })];
    const { contents } = await propose(twins, {}, { path });
    expect(contents["rollcall/join/other/edge"]).toHaveProperty(["all/a.yaml"]);
    const taken = await propose([proposalOf("a")], { "all/a.yaml": "kind: Other\n" }, { path });
    expect(Object.keys(taken.contents["rollcall/join/fleet/edge"] ?? {})).toEqual([
      expect.stringMatching(/^all\/a-[0-9a-f]{8}\.yaml$/u),
    ]);
    const [first, second] = [proposalOf("a"), proposalOf("b")];
    const both = await propose([first, second], {}, { path: "all/clusters.yaml" });
    expect(Object.keys(both.contents["rollcall/join/fleet/edge"] ?? {})).toEqual([
      "all/clusters.yaml",
      expect.stringMatching(/^all\/clusters-[0-9a-f]{8}\.yaml$/u),
    ]);
  });

  it("has twenty requests of a token open, and states how many wait", async () => {
    const many = Array.from({ length: 22 }, (_, index) => proposalOf(`c${index}`));
    const { contents, requests } = await propose(many);
    expect(Object.keys(contents["rollcall/join/fleet/edge"] ?? {})).toHaveLength(20);
    expect(requests[0]?.body).toContain("2 further requests wait");
    expect(requests[0]?.body.match(/^- /gmu)).toHaveLength(20);
    expect((await propose(many.slice(0, 20))).requests[0]?.body).not.toContain("further");
  });

  it("A220 has one request of a cluster open, the oldest: a later one changes nothing of what was reviewed", async () => {
    const asked = keys.concat(otherKey ?? "").map((digest, index) => {
      const spec = { clientID: `uid-${index}`, identity: { keys: [digest] } };
      return ["a", "declared"].map((name) => proposalOf(name, spec, { registration: `${name}-${index}` }));
    });
    const [first = [], second = []] = asked;
    const files = { "d.yaml": fileOf("declared", "{}") };
    const [alone, both] = [await propose(first, files), await propose([...first, ...second], files)];
    expect(both.contents).toEqual(alone.contents);
    expect(JSON.stringify(both.contents)).not.toContain(otherKey);
    expect(both.pushed[0]?.message).toBe(alone.pushed[0]?.message);
    expect(both.requests[0]?.body).toContain("2 further requests wait");
    expect(both.requests[0]?.body.match(/^- /gmu)).toHaveLength(2);
  });

  it.each([
    { reason: "one request", names: ["a"], subject: "join: admit fleet/a" },
    { reason: "several requests", names: ["a", "b", "c"], subject: "join: admit fleet/a and 2 more" },
    { reason: "a long name", names: ["n".repeat(63)], subject: `join: admit fleet/${"n".repeat(54)}` },
  ])("names who asked in the message: $reason", async ({ names, subject }) => {
    const { pushed } = await propose(names.map((name) => proposalOf(name)));
    const lines = pushed[0]?.message.split("\n") ?? [];
    expect(lines[0]).toBe(subject);
    expect(lines.filter((line) => line.startsWith("- "))).toEqual(
      names.map((name) => `- fleet/${name}: registration r1, token edge`),
    );
  });

  it("writes a branch once, and none without a request", async () => {
    const { pushed, again } = await propose([proposalOf("a")]);
    await again();
    expect(pushed).toHaveLength(1);
    expect((await propose([], { "a.yaml": fileOf("a", "{}") })).requests).toEqual([]);
  });
});

describe("proposedPath", () => {
  it("never is that of another file, also where the template has no workspace", () => {
    const taken = new Set<string>();
    for (const workspace of ["a", "b", "c", "d"]) {
      const path = proposedPath("clusters/{name}.yaml", { workspace, name: "eu" }, (each) => taken.has(each));
      expect(taken).not.toContain(path);
      taken.add(path);
    }
  });

  it.each([
    { template: undefined, isTaken: false, path: "clusters/prod/eu.yaml" },
    { template: "{workspace}/{name}/{name}.yaml", isTaken: false, path: "prod/eu/eu.yaml" },
    { template: "a.b/{name}", isTaken: true, path: /^a\.b\/eu-[0-9a-f]{8}$/u },
    { template: "a/{name}.tar.yaml", isTaken: true, path: /^a\/eu\.tar-[0-9a-f]{8}\.yaml$/u },
  ])("of $template is $path when it is taken: $isTaken", ({ template, isTaken, path }) => {
    const found = proposedPath(template, { workspace: "prod", name: "eu" }, () => isTaken);
    if (typeof path === "string") expect(found).toBe(path);
    else expect(found).toMatch(path);
  });
});
