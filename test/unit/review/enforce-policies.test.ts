import { describe, expect, it } from "vitest";
import type { CheckedFleet } from "../../../src/manifests/check-fleet.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import { appliedDocuments } from "../../../src/review/check-policies.ts";
import { enforcePolicies } from "../../../src/review/enforce-policies.ts";

const defaultWorkspace = "fleet";
const parseFile = createFileParser();
type Files = Readonly<Record<string, string>>;

/** What is in force when `head` follows `applied`. */
async function inForce(applied: Files, head: Files, mode?: "Enforce" | "Warn"): Promise<CheckedFleet> {
  const files = parse(head);
  const check = (some: readonly ParsedFile[]) => checkFleet(some, { defaultWorkspace });
  const changed = new Set(
    [...Object.keys(applied), ...Object.keys(head)].filter((path) => applied[path] !== head[path]),
  );
  const before = parse(applied).filter(({ path }) => changed.has(path));
  return enforcePolicies(check(files), {
    files,
    applied: appliedDocuments(before, { isChanged: (path) => changed.has(path), defaultWorkspace }),
    defaultWorkspace,
    checkFleet: check,
    ...(mode ? { mode } : {}),
  });
}

function parse(files: Files): ParsedFile[] {
  return Object.entries(files).map(([path, text]) =>
    parseFile({ path, blobId: text, bytes: new TextEncoder().encode(text) }),
  );
}

function cluster(name: string, labels: Record<string, string>): string {
  return document("Cluster", { name, labels }, {});
}

function policy(expression: string): string {
  return document("Policy", { name: "house" }, { rules: [{ expression, message: "no" }] });
}

function document(kind: string, metadata: object, spec: object): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata, spec });
}

function codes({ problems }: CheckedFleet): string[] {
  return problems.map(({ code, file }) => `${file} ${code}`);
}

const needsTeam = policy("has(object.metadata.labels) && 'team' in object.metadata.labels");

describe("enforcePolicies", () => {
  it("leaves out a new document that breaks a rule, and takes the others", async () => {
    const checked = await inForce(
      {},
      { "p.yaml": needsTeam, "a.yaml": cluster("a", { team: "x" }), "b.yaml": cluster("b", {}) },
    );
    expect(codes(checked)).toEqual(["b.yaml E_POLICY"]);
    expect(checked.fleet.clusters.map(({ object }) => object.metadata.name)).toEqual(["a"]);
    expect([...checked.brokenObjects]).toEqual(["Cluster/fleet/b"]);
  });

  it("keeps a document that breaks a rule as it was applied", async () => {
    const good = { "p.yaml": needsTeam, "a.yaml": cluster("a", { team: "x" }) };
    const checked = await inForce(good, { ...good, "a.yaml": cluster("a", { env: "dev" }) });
    expect(codes(checked)).toEqual(["a.yaml E_POLICY"]);
    expect(checked.fleet.clusters.map(({ object }) => object.metadata.labels)).toEqual([{ team: "x" }]);
  });

  it("keeps it also when its file was renamed", async () => {
    const checked = await inForce(
      { "p.yaml": needsTeam, "a.yaml": cluster("a", { team: "x" }) },
      { "p.yaml": needsTeam, "b.yaml": cluster("a", {}) },
    );
    expect(checked.fleet.clusters.map(({ object }) => object.metadata.labels)).toEqual([{ team: "x" }]);
  });

  it("continues with what was applied before a policy was made stricter, and reports it", async () => {
    const files = { "a.yaml": cluster("a", {}) };
    const checked = await inForce(files, { ...files, "p.yaml": needsTeam });
    expect(codes(checked)).toEqual(["a.yaml E_POLICY"]);
    expect(checked.fleet.clusters).toHaveLength(1);
  });

  it("takes a new document in the place where a kept one was that breaks a rule", async () => {
    const kept = parse({ "f.yaml": cluster("a", {}) });
    const [file] = parse({ "f.yaml": cluster("n", { team: "x" }) });
    const [policies] = parse({ "p.yaml": needsTeam });
    // The file has an error now, in the document that it had good before.
    const documents = [...(file?.documents ?? []), ...(kept[0]?.documents ?? [])];
    const files = [file, policies]
      .flatMap((one) => one ?? [])
      .map((one) => (one === file ? { ...one, documents } : one));
    const check = (some: readonly ParsedFile[]) => checkFleet(some, { defaultWorkspace });
    const checked = await enforcePolicies(check(files), {
      files,
      applied: appliedDocuments(kept, { isChanged: (path) => path === "f.yaml", defaultWorkspace }),
      defaultWorkspace,
      checkFleet: check,
    });
    expect(checked.problems.map(({ code, object }) => `${object} ${code}`)).toEqual(["Cluster/fleet/a E_POLICY"]);
    expect(checked.fleet.clusters.map(({ object }) => object.metadata.name)).toEqual(["n", "a"]);
    expect([...checked.brokenObjects]).toEqual(["Cluster/fleet/a"]);
  });

  it("gives rules the applied document as oldObject", async () => {
    const frozen = policy("oldObject == null || object.metadata.labels == oldObject.metadata.labels");
    const files = { "p.yaml": frozen, "a.yaml": cluster("a", { env: "prod" }) };
    expect(codes(await inForce(files, files))).toEqual([]);
    expect(codes(await inForce(files, { ...files, "a.yaml": cluster("a", { env: "dev" }) }))).toEqual([
      "a.yaml E_POLICY",
    ]);
    expect(codes(await inForce(files, { ...files, "b.yaml": cluster("b", { env: "dev" }) }))).toEqual([]);
  });

  it("keeps a policy that does not compile any more as it was applied", async () => {
    const checked = await inForce({ "p.yaml": needsTeam }, { "p.yaml": policy("has(("), "b.yaml": cluster("b", {}) });
    expect(codes(checked)).toEqual(["b.yaml E_POLICY", "p.yaml E_POLICY_EXPRESSION"]);
    expect(checked.fleet.clusters).toEqual([]);
  });

  it("gives each document its own applied form, among those of its name in other workspaces and kinds", async () => {
    const frozen = policy("oldObject != null && object.metadata.labels == oldObject.metadata.labels");
    const both = (env: string) =>
      [
        document("Cluster", { name: "a", namespace: "fleet", labels: { at: "fleet", env } }, {}),
        document("Cluster", { name: "a", namespace: "eu", labels: { at: "eu", env: "x" } }, {}),
        document("ClusterGroup", { name: "a", labels: { at: "group" } }, { selector: { names: ["a"] } }),
      ].join("\n---\n");
    const files = { "p.yaml": frozen, "a.yaml": both("x") };
    expect(codes(await inForce(files, { ...files, "a.yaml": `${both("x")}\n# changed\n` }))).toEqual([]);
    const checked = await inForce(files, { ...files, "a.yaml": both("y") });
    expect(checked.problems.map(({ line, object }) => [line, object])).toEqual([[1, "Cluster/fleet/a"]]);
    expect(checked.fleet.clusters.map(({ object }) => object.metadata.labels)).toEqual([
      { at: "fleet", env: "x" },
      { at: "eu", env: "x" },
    ]);
    expect([...checked.brokenObjects]).toEqual(["Cluster/fleet/a"]);
  });

  it("takes the other documents of a file where one breaks a rule", async () => {
    const text = `${cluster("a", {})}\n---\n${cluster("b", { team: "x" })}`;
    const checked = await inForce({}, { "p.yaml": needsTeam, "ab.yaml": text });
    expect(checked.fleet.clusters.map(({ object }) => object.metadata.name)).toEqual(["b"]);
    expect([...checked.brokenObjects]).toEqual(["Cluster/fleet/a"]);
  });

  it("lists what policies find among the other problems, by file", async () => {
    const bad = (name: string) => document("Cluster", { name, namespace: "kube-system" }, {});
    const more = { "a.yaml": bad("a"), "b.yaml": cluster("b", {}), "c.yaml": cluster("c", {}), "z.yaml": bad("z") };
    const checked = await inForce({}, { "p.yaml": needsTeam, ...more });
    expect(codes(checked).map((text) => text.slice(0, 1))).toEqual(["a", "b", "c", "z"]);
  });

  it("reports a policy once that did not compile when it was applied, either", async () => {
    const broken = { "p.yaml": policy("has((") };
    expect(codes(await inForce(broken, broken))).toEqual(["p.yaml E_POLICY_EXPRESSION"]);
  });

  it("takes everything and warns when the Repository declares it", async () => {
    const checked = await inForce({}, { "p.yaml": needsTeam, "b.yaml": cluster("b", {}) }, "Warn");
    expect(codes(checked)).toEqual(["b.yaml W_POLICY"]);
    expect(checked.fleet.clusters).toHaveLength(1);
    expect([...checked.brokenObjects]).toEqual([]);
  });
});

describe("A61 enforcePolicies where a rule costs too much at a document", () => {
  const plain =
    "object.metadata.?annotations.orValue({}).all(k, object.metadata.annotations[k].matches('^[A-Za-z0-9 .,:;!?()-]*$'))";
  const costly = policy(`${plain} && 'team' in object.metadata.?labels.orValue({})`);
  const notes = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`note-${index}`, "x".repeat(4096)]));
  const heavy = (name: string): string => document("Cluster", { name, labels: { team: "x" }, annotations: notes }, {});
  const namesOf = ({ fleet }: CheckedFleet): string[] => fleet.clusters.map(({ object }) => object.metadata.name);

  it("takes neither that document nor those that were not checked since", async () => {
    const applied = { "p.yaml": costly, "b.yaml": cluster("b", { team: "x" }), "d.yaml": cluster("d", { team: "x" }) };
    const head = {
      "a.yaml": heavy("a"),
      ...applied,
      "b.yaml": cluster("b", { team: "x", env: "dev" }),
      "c.yaml": cluster("c", {}),
    };
    const checked = await inForce(applied, head);
    expect(codes(checked)).toEqual(["p.yaml E_POLICY_EXPRESSION"]);
    expect(checked.fleet.clusters.map(({ object }) => object.metadata)).toMatchObject([
      { name: "b", labels: { team: "x" } },
      { name: "d" },
    ]);
    expect(checked.fleet.clusters[0]?.object.metadata.labels).toEqual({ team: "x" });
    expect([...checked.brokenObjects].sort()).toEqual(["Cluster/fleet/a", "Cluster/fleet/b", "Cluster/fleet/c"]);
  });

  it("takes them where the rule only warns", async () => {
    const files = { "p.yaml": costly, "a.yaml": heavy("a"), "c.yaml": cluster("c", {}) };
    expect(namesOf(await inForce({}, files, "Warn"))).toEqual(["a", "c"]);
  });

  it("keeps policies in force, however many expressions a new one brings", async () => {
    const rules = Array.from({ length: 30 }, () => ({
      expression: `object.kind != '${"x".repeat(4000)}'`,
      message: "no",
    }));
    const large = document("Policy", { name: "a" }, { rules });
    const checked = await inForce(
      { "p.yaml": needsTeam },
      { "a.yaml": large, "p.yaml": needsTeam, "c.yaml": cluster("c", {}) },
    );
    expect(codes(checked)).toContain("c.yaml E_POLICY");
    expect(namesOf(checked)).toEqual([]);
  });
});
