import { describe, expect, it } from "vitest";
import { checkTexts, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

const rule = (name: string, ...spec: string[]) => documentText("ClusterLabels", name, ...spec);
const cluster = (name: string, labels = "{}") =>
  documentText("Cluster", name).replace(`  name: ${name}\n`, `  name: ${name}\n  labels: ${labels}\n`);
const conflicts = (rules: readonly string[], clusters: readonly string[] = [cluster("eu-1")]): string[] => {
  const texts = [...clusters, ...rules].map((text, index) => [`${index}.yaml`, text] as const);
  const checked = checkTexts(Object.fromEntries(texts), { defaultWorkspace: "fleet", evaluatesSelectors: true });
  return messagesOf(checked).filter((line) => line.includes("E_LABEL_CONFLICT"));
};
const all = "selector: {}";

describe("label conflicts: two rules of one priority", () => {
  it("are reported at both, with the cluster, both values and the place of the other", () => {
    const rules = [
      rule("a", all, "labels: {tier: gold}", "priority: 5"),
      rule("b", all, "labels: {tier: lead}", "priority: 5"),
    ];
    expect(conflicts(rules)).toEqual([
      '1.yaml E_LABEL_CONFLICT spec.labels: tier of Cluster/fleet/eu-1 is "gold" here and "lead" in 2.yaml:7, both with priority 5',
      '2.yaml E_LABEL_CONFLICT spec.labels: tier of Cluster/fleet/eu-1 is "lead" here and "gold" in 1.yaml:7, both with priority 5',
    ]);
  });

  it("are reported once, however many clusters they concern", () => {
    const rules = [rule("a", all, "labels: {tier: gold}"), rule("b", all, "labels: {tier: lead}")];
    const lines = conflicts(rules, [cluster("eu-1"), cluster("eu-2"), cluster("eu-3")]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("tier of Cluster/fleet/eu-1 and 2 more is");
    expect(lines[0]).toContain("both with priority 0");
  });

  it.each<[string, readonly string[], string | undefined]>([
    [
      "have the same value",
      [rule("a", all, "labels: {tier: gold}"), rule("b", all, "labels: {tier: gold}")],
      undefined,
    ],
    ["set different labels", [rule("a", all, "labels: {tier: gold}"), rule("b", all, "labels: {zone: a}")], undefined],
    [
      "have different priorities",
      [rule("a", all, "labels: {tier: gold}"), rule("b", all, "labels: {tier: lead}", "priority: 1")],
      undefined,
    ],
    [
      "have different priorities, the greater one first",
      [rule("a", all, "labels: {tier: gold}", "priority: 1"), rule("b", all, "labels: {tier: lead}")],
      undefined,
    ],
    [
      "are overruled by a third",
      [
        rule("a", all, "labels: {tier: gold}"),
        rule("b", all, "labels: {tier: lead}"),
        rule("c", all, "labels: {tier: tin}", "priority: 1"),
      ],
      undefined,
    ],
    [
      "select other clusters",
      [rule("a", all, "labels: {tier: gold}"), rule("b", "selector: {names: [eu-9]}", "labels: {tier: lead}")],
      undefined,
    ],
    [
      "may stop selecting a cluster by a label of its agent",
      [
        rule("a", all, "labels: {tier: gold}"),
        rule("b", "selector: {matchExpressions: [{key: x, operator: DoesNotExist}]}", "labels: {tier: lead}"),
      ],
      undefined,
    ],
    [
      "concern a label that the cluster's own file sets",
      [rule("a", all, "labels: {tier: gold}"), rule("b", all, "labels: {tier: lead}")],
      "{tier: own}",
    ],
  ])("are none where they %s", (_where, rules, labels) => {
    expect(conflicts(rules, [cluster("eu-1", labels)])).toEqual([]);
  });
});
