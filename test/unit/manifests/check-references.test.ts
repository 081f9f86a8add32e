import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { checkTexts, clustersOf, foreignText, inWorkspace, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

const cluster = (name: string, ...spec: string[]) => documentText("Cluster", name, ...spec);
const token = (...spec: string[]) => documentText("ClusterRegistrationToken", "edge", ...spec);
const fleetCluster = (spec: object) =>
  foreignText("fleet.cattle.io/v1alpha1", "Cluster", { name: "eu-1", namespace: "fleet" }, spec);
const fleetToken = (names: string) =>
  foreignText("fleet.cattle.io/v1alpha1", "ClusterRegistrationToken", {
    name: "edge",
    namespace: "fleet",
    annotations: { "rollcall.dev/cluster-names": names },
  });

describe("checkReferences: names of clusters that no file declares", () => {
  it.each<[string, string, readonly string[]]>([
    ["a token names one", token("clusterNames: [eu-1]"), []],
    [
      "a token names none",
      token("clusterNames: [eu-2]"),
      ["spec.clusterNames[0]: no file declares a cluster eu-2, did you mean eu-1?"],
    ],
    ["a token names a pattern", token("clusterNames: ['eu-*']"), []],
    ["a token of Clusternet names new clusters", token("protocol: clusternet", "clusterNames: [new]"), []],
    [
      "a group names one",
      documentText("ClusterGroup", "g", "selector: {names: [eu-1, zz]}"),
      ["spec.selector.names[1]: no file declares a cluster zz"],
    ],
    [
      "defaults name one",
      documentText("ClusterDefaults", "d", "selector: {names: [zz]}", "deletionPolicy: Detach"),
      ["spec.selector.names[0]: no file declares a cluster zz"],
    ],
    [
      "labels name one",
      documentText("ClusterLabels", "l", "selector: {names: [zz]}", "labels: {a: b}"),
      ["spec.selector.names[0]: no file declares a cluster zz"],
    ],
    ["a Fleet token names one", fleetToken("eu-1"), []],
    [
      "a Fleet token names none",
      fleetToken("zz"),
      ['metadata.annotations["rollcall.dev/cluster-names"]: no file declares a cluster zz'],
    ],
    [
      "a Fleet token names a pattern",
      fleetToken("eu-*"),
      [
        'metadata.annotations["rollcall.dev/cluster-names"]: "eu-*" admits no cluster again: only a name that is written out does',
      ],
    ],
  ])("are a warning: %s", (_what, text, expected) => {
    const checked = checkTexts({ "a.yaml": cluster("eu-1"), "b.yaml": text });
    expect(messagesOf(checked).map((line) => line.replace("b.yaml warning E_REFERENCE ", ""))).toEqual(expected);
  });

  it("A241 cost no more than their letters, however many clusters there are", () => {
    const nameOf = (index: number) =>
      `${index.toString(2).replaceAll("0", "a").replaceAll("1", "b").padStart(60, "ab")}`;
    const names = Array.from({ length: 1200 }, (_, index) => nameOf(index));
    const clusters = Object.fromEntries(names.slice(0, 1000).map((name) => [`${name}.yaml`, cluster(name)]));
    const unknown = names.slice(1000);
    const work = (): void => {
      const checked = checkTexts({ ...clusters, "token.yaml": token(`clusterNames: [${unknown.join(", ")}]`) });
      expect(messagesOf(checked).length).toBeGreaterThan(1);
    };
    expect(leastCpuMs(work, 1000)).toBeLessThan(1000);
  });

  it("are searched in the workspace of a document, and in all of them for a rule of all", () => {
    const elsewhere = inWorkspace(cluster("eu-1"), "team-a");
    const rule = documentText("ClusterLabels", "l", "selector: {names: [eu-1]}", "labels: {a: b}");
    expect(messagesOf(checkTexts({ "a.yaml": elsewhere, "b.yaml": token("clusterNames: [eu-1]") }))).toHaveLength(1);
    expect(messagesOf(checkTexts({ "a.yaml": elsewhere, "b.yaml": rule }))).toEqual([]);
    expect(messagesOf(checkTexts({ "a.yaml": elsewhere, "b.yaml": inWorkspace(rule, "fleet") }))).toHaveLength(1);
  });

  it("are none that a file with an error declares", () => {
    const texts = { "a.yaml": cluster("eu-1", "x: 1"), "b.yaml": token("clusterNames: [eu-1]") };
    expect(messagesOf(checkTexts(texts)).filter((line) => line.includes("E_REFERENCE"))).toEqual([]);
  });
});

describe("checkReferences: A39 a kubeconfig of another namespace", () => {
  it.each([
    ["fleet", 0],
    ["", 0],
    ["other", 1],
  ])("%j is refused in %i documents", (kubeConfigSecretNamespace, count) => {
    const checked = checkTexts({ "a.yaml": fleetCluster({ kubeConfigSecret: "k", kubeConfigSecretNamespace }) });
    expect(messagesOf(checked).filter((line) => line.includes("E_REFERENCE_OUTSIDE"))).toHaveLength(count);
    expect(clustersOf(checked)).toHaveLength(1 - count);
  });
});

describe("checkReferences: the former name of a cluster", () => {
  const messages = (texts: Readonly<Record<string, string>>) =>
    messagesOf(checkTexts(texts, { defaultWorkspace: "fleet", workspaces: ["fleet", "team-a"] }));

  it.each<[string, string, readonly string[]]>([
    ["is free in its workspace", cluster("new", "previousName: gone"), []],
    ["is free in another workspace", cluster("new", "previousName: team-a/old"), []],
    [
      "is declared",
      cluster("new", "previousName: old"),
      ["E_REFERENCE spec.previousName: fleet/old is still declared"],
    ],
    [
      "is declared, with its workspace",
      cluster("new", "previousName: fleet/old"),
      ["E_REFERENCE spec.previousName: fleet/old is still declared"],
    ],
    [
      "is its own",
      cluster("new", "previousName: new"),
      ["E_REFERENCE spec.previousName: fleet/new is this cluster itself"],
    ],
    ["is that of one of its name elsewhere", cluster("old2", "previousName: team-a/old2"), []],
    [
      "is outside",
      cluster("new", "previousName: ops/x"),
      ["E_REFERENCE_OUTSIDE spec.previousName: ops is not a workspace of this repository (it has fleet, team-a)"],
    ],
    [
      "is of another protocol",
      cluster("new", "protocol: fleet", "previousName: gone"),
      ["E_REFERENCE spec.previousName: clusters of protocol fleet cannot be renamed or moved"],
    ],
  ])("%s", (_what, text, expected) => {
    expect(messages({ "a.yaml": cluster("old"), "b.yaml": text }).map((line) => line.replace("b.yaml ", ""))).toEqual(
      expected,
    );
  });

  it("belongs to one successor, of either workspace", () => {
    const two = {
      "a.yaml": cluster("a", "previousName: team-a/x"),
      "b.yaml": inWorkspace(cluster("b", "previousName: x"), "team-a"),
    };
    expect(messages(two)).toEqual([
      "b.yaml E_REFERENCE spec.previousName: team-a/x is the former name of another cluster too (a.yaml:6)",
    ]);
    const apart = {
      "a.yaml": cluster("a", "previousName: x"),
      "b.yaml": inWorkspace(cluster("b", "previousName: x"), "team-a"),
    };
    expect(messages(apart)).toEqual([]);
  });

  it("is taken by a file with an error, too: its cluster must not lose its place", () => {
    const texts = { "a.yaml": cluster("old", "x: 1"), "b.yaml": cluster("new", "previousName: old") };
    expect(messages(texts)).toContain("b.yaml E_REFERENCE spec.previousName: fleet/old is still declared");
  });
});
