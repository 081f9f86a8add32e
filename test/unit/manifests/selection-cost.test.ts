import { expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { fleetDocuments } from "../../../src/manifests/fleet-document.ts";
import { exceedsPolicyCost, measureSelection } from "../../../src/manifests/selection-cost.ts";
import { documentText, parseText } from "./read-text.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function exceedsSelectionCost(documents: ReturnType<typeof documentsOf>, maximum: number): boolean {
  return (measureSelection(documents, maximum)?.room ?? 0) < 0;
}

function documentsOf(...documents: string[]) {
  return fleetDocuments([parseText(documents.join("---\n"), "f.yaml")], "fleet");
}

const clusters = numbers(100).map((index) => `${documentText("Cluster", `c-${index}`)}  labels: {n: "${index}"}\n`);

it.each([
  { reason: "each cluster", selector: () => "{}", cost: 10 * 100 * 2 },
  { reason: "a wildcard", selector: () => "{names: ['a*', 'b*']}", cost: 10 * 100 * 4 },
  { reason: "what is absent", selector: () => "{matchExpressions: [{key: x, operator: DoesNotExist}]}", cost: 3000 },
  { reason: "a label", selector: (index: number) => `{matchLabels: {n: "${index}"}}`, cost: 10 * 3 },
  { reason: "a key", selector: () => "{matchExpressions: [{key: n, operator: Exists}]}", cost: 3000 },
  { reason: "a name", selector: (index: number) => `{names: [c-${index}]}`, cost: 10 * 3 },
])("A85 counts what rules cost that select $reason", ({ selector, cost }) => {
  const rules = numbers(10).map((index) =>
    documentText("ClusterLabels", `r-${index}`, `selector: ${selector(index)}`, "labels: {a: b}"),
  );
  const documents = documentsOf(...clusters, ...rules);
  expect(exceedsSelectionCost(documents, cost)).toBe(false);
  expect(exceedsSelectionCost(documents, cost - 1)).toBe(true);
});

it("leaves as much room as rules and groups may cost more, and none to speak of where labels do not matter", () => {
  const rule = documentText("ClusterLabels", "r", 'selector: {matchLabels: {n: "1"}}', "labels: {a: b}");
  const documents = documentsOf(...clusters, rule);
  const [first, second] = documents.map(({ object }) => ({
    ...object,
    metadata: { ...object.metadata, namespace: "fleet" },
  }));
  const measured = measureSelection(documents, 10);
  expect(measured?.room).toBe(7);
  expect([first, second].map((object) => object && measured?.costOf(object))).toEqual([0, 3]);
  expect(measureSelection(documents, 299)).toBeDefined();
  expect(measureSelection(documents, 300)).toBeUndefined();
});

it("A85 counts the labels that a rule sets, and nothing for rules of other workspaces", () => {
  const rule = documentText("ClusterLabels", "r", "selector: {}", "labels: {a: b, c: d}");
  expect(exceedsSelectionCost(documentsOf(...clusters, rule), 299)).toBe(true);
  const other = rule.replace("  name: r", "  name: r\n  namespace: other");
  expect(exceedsSelectionCost(documentsOf(...clusters, other), 0)).toBe(false);
});

it.each([
  { reason: "each cluster", spec: "{selector: {}}", cost: 10 * 100 },
  { reason: "a label", spec: '{selector: {matchLabels: {n: "1"}}}', cost: 10 * 2 },
  { reason: "none, for they have no selector", spec: "{}", cost: 0 },
])("A85 counts what groups of Fleet cost that select $reason", ({ spec, cost }) => {
  const groups = numbers(10).map((index) => {
    const head = `apiVersion: fleet.cattle.io/v1alpha1\nkind: ClusterGroup\nmetadata: {name: g-${index}, namespace: fleet}`;
    return `${head}\nspec: ${spec}\n`;
  });
  const documents = documentsOf(...clusters, ...groups);
  expect(exceedsSelectionCost(documents, cost)).toBe(false);
  expect(exceedsSelectionCost(documents, cost - 1)).toBe(true);
});

it("A85 uses no document of a repository whose rules take too many comparisons, and names all as broken", () => {
  const names = numbers(50).map((index) => `x${index}*`);
  const rules = numbers(400).map((index) =>
    documentText("ClusterGroup", `g-${index}`, `selector: {names: ${JSON.stringify(names)}}`),
  );
  const texts = [...numbers(1000).map((index) => documentText("Cluster", `c-${index}`)), ...rules];
  const checked = checkFleet([parseText(texts.join("---\n"), "f.yaml")], { defaultWorkspace: "fleet" });
  expect(checked.fleet.clusters).toEqual([]);
  expect(checked.problems.map(({ code, file }) => `${file} ${code}`)).toEqual([". E_REPOSITORY_TOO_LARGE"]);
  expect(checked.brokenObjects.size).toBe(1400);
  expect(checked.brokenObjects).toContain("Cluster/fleet/c-0");
});

it("A85 counts the rules of policies with each document, and uses none where there are too many", () => {
  const rules = numbers(50).map(() => "{expression: 'true', message: m}");
  const policies = (count: number): string[] =>
    numbers(count).map((index) => documentText("Policy", `p-${index}`, `rules: [${rules.join(", ")}]`));
  expect(exceedsPolicyCost(documentsOf(...clusters, ...policies(10)), 10 * 50 * 110)).toBe(false);
  expect(exceedsPolicyCost(documentsOf(...clusters, ...policies(10)), 10 * 50 * 110 - 1)).toBe(true);
  expect(exceedsPolicyCost(documentsOf(...clusters), 0)).toBe(false);

  const read = (name: string, texts: readonly string[]) => parseText(texts.join("---\n"), name);
  const some = (file: number) => numbers(1_000).map((index) => documentText("Cluster", `d-${file}-${index}`));
  const rest = policies(90);
  const files = [
    ...numbers(5).map((file) => read(`c-${file}.yaml`, some(file))),
    read("p.yaml", rest.slice(0, 45)),
    read("q.yaml", rest.slice(45)),
  ];
  const { fleet, problems } = checkFleet(files, { defaultWorkspace: "fleet" });
  expect(fleet.policies).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([
    "rules of policies would be evaluated more than 20000000 times; no document is used",
  ]);
});
