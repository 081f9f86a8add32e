import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFileParser, maxProblemsPerFile } from "../../../src/manifests/parse-file.ts";
import { documentText, parseText, problemLines } from "./read-text.ts";

const eu1 = documentText("Cluster", "eu-1");

describe("createFileParser", () => {
  it("gives each document of ours with the place of its first key", () => {
    const text = `# two clusters\n${eu1}---\n# and a map of somebody else\na: 1\n---\n${documentText("Cluster", "eu-2")}`;
    const { documents, problems, isUnidentified } = parseText(text, "clusters/eu.yaml");
    expect(documents).toEqual([
      {
        position: { file: "clusters/eu.yaml", line: 2, column: 1 },
        index: 0,
        blobId: "blob of clusters/eu.yaml",
        object: { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "eu-1" } },
      },
      {
        position: { file: "clusters/eu.yaml", line: 10, column: 1 },
        index: 2,
        blobId: "blob of clusters/eu.yaml",
        object: { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "eu-2" } },
      },
    ]);
    expect(problems).toEqual([]);
    expect(isUnidentified).toBe(false);
  });

  it.each(["ttl: 0", 'ttl: "0"', "ttl: null", "ttl:"])("takes a token's %s for one that does not expire", (line) => {
    const { documents, problems } = parseText(documentText("ClusterRegistrationToken", "door", line));
    expect(problems).toEqual([]);
    expect(["0", null]).toContain((documents[0]?.object["spec"] as { ttl?: unknown } | undefined)?.ttl);
  });

  it.each(["ttl: 1", "ttl: 600", "ttl: -1h", "ttl: 10d", "ttl: 5m"])("refuses a token's %s", (line) => {
    const { problems } = parseText(documentText("ClusterRegistrationToken", "door", line));
    expect(problems.map(({ code, line: at }) => `${code} ${at}`)).toEqual(["E_SCHEMA 6"]);
  });

  it("F21 reports a bad document and keeps the good one beside it", () => {
    const file = parseText(`${eu1}---\n${documentText("Cluster", "eu-2", "heartbeat:", "  periodSecond: 5")}`);
    expect(file.documents.map(({ object }) => object.metadata.name)).toEqual(["eu-1"]);
    expect(file.problems).toEqual([
      {
        code: "E_UNKNOWN_FIELD",
        severity: "error",
        file: "file.yaml",
        line: 12,
        column: 5,
        message: "spec.heartbeat.periodSecond: unknown field, did you mean periodSeconds?",
        fix: "Rename it to periodSeconds.",
        object: "Cluster/eu-2",
      },
    ]);
    expect(file.brokenObjects).toEqual(["Cluster//eu-2"]);
    expect(file.isUnidentified).toBe(false);
  });

  it.each([
    { reason: "broken syntax", text: "a: b: c\n" },
    { reason: "plain text", text: "this is no YAML of ours\n" },
    { reason: "an unknown kind of ours", text: documentText("Clutser", "eu-1") },
    { reason: "an unknown version of ours", text: eu1.replace("v1alpha1", "v1") },
    { reason: "a group that is nearly ours", text: eu1.replace("rollcall.dev", "rolcall.dev") },
    { reason: "no kind", text: eu1.replace("kind: Cluster\n", "") },
    { reason: "no apiVersion", text: eu1.replace(/^.*\n/u, "") },
    { reason: "no name", text: eu1.replace("  name: eu-1", "  labels: {}") },
    { reason: "a name that stands twice", text: `${eu1}  name: eu-2\n` },
    {
      reason: "a list with something of ours",
      text: `apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  apiVersion: v1\n`,
    },
    { reason: "bytes that are no text", text: "\u0000" },
  ])("marks a file as unidentified for $reason", ({ text }) => {
    const { isUnidentified, problems, documents } = parseText(text);
    expect(isUnidentified).toBe(true);
    expect(problems.length).toBeGreaterThan(0);
    expect(documents).toEqual([]);
  });

  it.each([
    { reason: "nothing", text: "" },
    { reason: "comments", text: "# nothing\n---\n# here\n" },
    { reason: "a workflow", text: "on: push\njobs:\n  a: &x {b: !c d}\n  e: *x\n  e: 1\n" },
    { reason: "a list", text: "- hosts: all\n" },
    { reason: "an object of another group", text: "apiVersion: apps/v1\nkind: Deployment\nmetadata: 1\n" },
    { reason: "a list of others", text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n" },
    { reason: "a file of Kustomize", text: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n" },
  ])("reports nothing of $reason", ({ text }) => {
    expect(parseText(text)).toMatchObject({ documents: [], problems: [], isUnidentified: false, brokenObjects: [] });
  });

  it("reports nothing of JSON with comments that is not ours, and reads JSON that is", () => {
    expect(parseText('{\n  // settings\n  "a": 1,\n}', ".vscode/settings.json").problems).toEqual([]);
    const json = JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "eu-1" } });
    expect(parseText(json, "eu-1.json").documents).toHaveLength(1);
    expect(problemLines(parseText(`${json.slice(0, -1)},\n}`, "eu-1.json"))).toEqual([]);
    expect(problemLines(parseText(json.slice(0, -1), "eu-1.json"))).toEqual([
      expect.stringMatching(/^1:1 E_YAML the bracket \(\{\) that opens here is never closed/u),
    ]);
  });

  it.each([
    { kind: "Cluster", group: "rollcall.dev/v1alpha1" },
    { kind: "MemberCluster", group: "cluster.kubernetes-fleet.io/v1beta1" },
    { kind: "ManagedCluster", group: "clusters.clusternet.io/v1beta1" },
    { kind: "ClusterRegistrationRequest", group: "clusters.clusternet.io/v1beta1" },
  ])("refuses $kind without an apiVersion", ({ kind, group }) => {
    const file = parseText(`apiversion: ${group}\nkind: ${kind}\nmetadata:\n  name: eu-1\n`);
    expect(file).toMatchObject({
      isUnidentified: true,
      problems: [{ code: "E_UNKNOWN_KIND", line: 1, fix: `Write apiVersion: ${group}.` }],
    });
  });

  it("reports the one cause of errors in several documents once", () => {
    const file = parseText(
      "{{- range .Values.clusters }}\n---\nkind: Cluster\nmetadata:\n  name: {{ .name }}\n{{- end }}\n",
    );
    expect(problemLines(file)).toEqual([expect.stringMatching(/^1:1 E_YAML double braces/u)]);
    expect(file).toMatchObject({ documents: [], isUnidentified: true });
  });

  it("keeps an error that comes after many warnings", () => {
    const values = Array.from({ length: 60 }, (_, index) => `    a${String(index)}: yes\n`).join("");
    const first = `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: a\n  annotations:\n${values}`;
    const { problems } = parseText(`${first}---\nkind: [\n`);
    expect(problems).toHaveLength(51);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([{ code: "E_YAML", line: 67 }]);
    expect(problems.at(-1)).toMatchObject({ severity: "warning", message: "and 11 more problems in this file" });
  });

  it("warns of real kinds of accepted groups that are not used", () => {
    const text = "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata:\n  name: app\n";
    expect(parseText(text)).toMatchObject({
      documents: [],
      isUnidentified: false,
      problems: [{ code: "W_IGNORED_KIND", severity: "warning", line: 2, column: 7 }],
    });
  });

  it("takes foreign kinds without what their API server writes", () => {
    const text = [
      "apiVersion: cluster.kubernetes-fleet.io/v1beta1",
      "kind: MemberCluster",
      "metadata: {name: edge-1, uid: x, resourceVersion: '1', labels: {a: b}, creationTimestamp: null}",
      "spec: {identity: {kind: User, name: x}}",
      "status: {conditions: []}",
    ].join("\n");
    expect(parseText(text).documents.map(({ object }) => object)).toEqual([
      {
        apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
        kind: "MemberCluster",
        metadata: { name: "edge-1", labels: { a: "b" } },
        spec: { identity: { kind: "User", name: "x" } },
      },
    ]);
  });

  it("names a broken foreign object by its kind and by the kind that it is translated to", () => {
    const text =
      "apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata:\n  name: edge-1\n  namespace: fleet\nspec: {identity: {kind: User, name: x}}\n";
    const file = parseText(text);
    expect(problemLines(file)).toEqual(["5:3 E_SCHEMA metadata.namespace: MemberCluster has no namespace"]);
    expect(file.brokenObjects).toEqual(["MemberCluster/fleet/edge-1", "Cluster/fleet/edge-1"]);
  });

  it("reports a warning and an error at one place as one error", () => {
    const file = parseText(documentText("Cluster", "eu-1", "paused: yes"));
    expect(problemLines(file)).toEqual(["6:11 E_SCHEMA spec.paused: must be true or false, not text"]);
    expect(problemLines(parseText(documentText("Cluster", "eu-1", "displayName: yes")))).toEqual([
      expect.stringMatching(/^6:16 W_YAML_AMBIGUOUS/u),
    ]);
  });

  it("A16 reports a bounded number of problems of one file", () => {
    const many = Array.from({ length: 400 }, (_, index) => `x${index}: 1`);
    const { problems } = parseText(documentText("Cluster", "eu-1", ...many));
    expect(problems).toHaveLength(maxProblemsPerFile + 1);
    expect(problems.at(-1)?.message).toMatch(/^and \d+ more problems in this file$/u);
  });

  it("A19 a wrong duration or word stops its document only", () => {
    const file = parseText(`${documentText("Cluster", "a", "deletionGracePeriod: 1d", "protocol: telnet")}---\n${eu1}`);
    expect(file.documents.map(({ object }) => object.metadata.name)).toEqual(["eu-1"]);
    expect(file.problems.map(({ line, code }) => `${line} ${code}`)).toEqual(["6 E_SCHEMA", "7 E_SCHEMA"]);
  });

  it.each([
    { field: "labels", value: "{team: a-}" },
    { field: "annotations", value: "{owner: [a]}" },
  ])("refuses a Policy with $field that the API refuses in other objects", ({ field, value }) => {
    const head = "apiVersion: rollcall.dev/v1alpha1\nkind: Policy\n";
    const spec = "spec: {rules: [{expression: 'true', message: x}]}\n";
    const read = (metadata: string) => parseText(`${head}metadata: {name: house${metadata}}\n${spec}`).problems;
    expect(read(`, ${field}: ${value}`)).toMatchObject([{ severity: "error", line: 3 }]);
    expect(read("")).toEqual([]);
  });

  it.each([
    { reason: "annotations that are no map", lines: ["  annotations: [a]"], place: "5:16" },
    { reason: "an annotation that is a list", lines: ["  annotations: {a: [1]}"], place: "5:20" },
    { reason: "labels without value", lines: ["  labels:"], place: "5:3" },
    { reason: "a name that is a number", lines: ["  namespace: 5"], place: "5:14" },
  ])("A20 a poisoned object is a problem at its place: $reason", ({ lines, place }) => {
    const [problem, ...others] = parseText(`${eu1}${lines.join("\n")}\n`).problems;
    expect(others).toEqual([]);
    expect(`${problem?.line}:${problem?.column} ${problem?.code}`).toBe(`${place} E_SCHEMA`);
  });

  it("A44 shows names with control characters escaped and cut off", () => {
    const evil = `a\\e[31m\\n${"x".repeat(500)}`;
    const { problems } = parseText(`apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: "${evil}"\n`);
    for (const { message } of problems) {
      expect(message).not.toMatch(/\p{Cc}/u);
      expect(message.length).toBeLessThan(300);
    }
    expect(problems.length).toBeGreaterThan(0);
  });

  it("never throws and puts every problem inside its file, whatever the bytes are", () => {
    const parse = createFileParser();
    const line = fc.constantFrom(
      ...["apiVersion: rollcall.dev/v1alpha1", "kind: Cluster", "kind: Secret", "metadata:", "  name: a", "spec:"],
      ...["  agent:", "    env:", "    - name: A", "  taints: [{}, 1]", "  heartbeat: {a: 1}", "data: {a: b}", "---"],
      ...["\tx", "? a", ": b", "a: &b [*b]", "<<: *b", "- c", "'", '"', "]", "{", "%YAML 1.1", "é: 😀", "...", "  - |"],
    );
    const text = fc.array(line, { maxLength: 14 }).map((lines) => new TextEncoder().encode(lines.join("\n")));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        const file = parse({ path: "a.yaml", blobId: "b", bytes });
        const lines = new TextDecoder().decode(bytes).split("\n");
        for (const { line: number, column } of file.problems) {
          expect(number).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[number - 1] ?? "").length + 1);
          expect(Math.min(number, column)).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    { name: "one wide map", text: Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join("") },
    { name: "one key 40,000 times", text: "a: 1\n".repeat(40_000) },
    { name: "anchors", text: "&a ".repeat(60_000) },
    { name: "open quotes", text: '"'.repeat(200_000) },
    { name: "separators", text: "---\n".repeat(60_000) },
    {
      name: "unknown fields",
      text: documentText("Cluster", "a", ...Array.from({ length: 9000 }, (_, i) => `f${i}: 1`)),
    },
    { name: "taints", text: documentText("Cluster", "a", `taints: [${"{key: a, effect: NoExecute},".repeat(8000)}]`) },
  ])("A17 is done soon with a file full of $name", ({ text }) => {
    expect(parseText(text).documents).toEqual([]);
  });
});
