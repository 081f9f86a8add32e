import { describe, expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { documentText, parseText } from "./read-text.ts";

function check(...documents: string[]): string[] {
  const file = parseText(documents.join("---\n"), "f.yaml");
  expect(file.problems).toEqual([]);
  return checkFleet([file], { defaultWorkspace: "fleet", evaluatesSelectors: true }).problems.map(
    ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
  );
}

const cluster = (name: string, labels: string) => `${documentText("Cluster", name)}  labels: {${labels}}\n`;
const group = (selector: string) => documentText("ClusterGroup", "g", `selector: ${selector}`);
const rule = (name: string, selector: string, labels: string, priority = 0) =>
  documentText("ClusterLabels", name, `selector: ${selector}`, `labels: {${labels}}`, `priority: ${priority}`);
const token = (...spec: string[]) => documentText("ClusterRegistrationToken", "t", ...spec);

describe("checkSelectors", () => {
  it("reports nothing of selectors that match", () => {
    expect(check(cluster("a", "env: prod"), group("{matchLabels: {env: prod}}"))).toEqual([]);
  });

  it("warns of a selector that matches no cluster", () => {
    expect(check(cluster("a", "env: prod"), group("{matchLabels: {env: qa}}"))).toEqual([
      "12:3 W_EMPTY_SELECTOR spec.selector: it matches none, of 1 cluster of workspace fleet that could be read",
    ]);
    expect(check(rule("r", "{}", "a: b"))).toEqual([
      "6:3 W_EMPTY_SELECTOR spec.selector: there is no cluster that could be read",
    ]);
  });

  it("checks clusters of the rule's workspace only", () => {
    const other = cluster("a", "env: prod").replace("  name: a", "  name: a\n  namespace: other");
    expect(check(other, group("{matchLabels: {env: prod}}"))).toEqual([
      "13:3 W_EMPTY_SELECTOR spec.selector: there is no cluster of workspace fleet that could be read",
    ]);
    expect(check(other, rule("r", "{matchLabels: {env: prod}}", "a: b"))).toEqual([]);
  });

  it.each([
    { reason: "labels of the token", spec: "clusterLabels: {env: edge}", selector: "{matchLabels: {env: edge}}" },
    { reason: "labels that its agents may bring", spec: "agentLabels: [env]", selector: "{matchLabels: {env: x}}" },
    { reason: "names that it may give", spec: "clusterNames: ['edge-*']", selector: "{names: ['edge-*']}" },
  ])("waits for clusters that a token may bring in, by $reason", ({ spec, selector }) => {
    expect(check(token(spec), group(selector))).toEqual([]);
    expect(check(token(spec), group("{matchLabels: {other: x}}"))).toHaveLength(1);
  });

  it("waits for no cluster that a token cannot bring in", () => {
    const clusters = [cluster("edge-1", "a: b"), cluster("edge-2", "a: b")];
    const ofEdge = (names: string) => group(`{names: ${names}, matchLabels: {env: edge}}`);
    const seen = (clusterNames: string, names: string) =>
      check(...clusters, token(`clusterNames: ${clusterNames}`, "clusterLabels: {env: edge}"), ofEdge(names));
    expect(seen("[edge-1]", "[edge-1]")).toEqual([]);
    expect(seen("[edge-1]", "['edge-*']")).toEqual([]);
    expect(seen("[edge-1]", "[edge-2]")).toHaveLength(1);
    expect(seen("[edge-1, 'eu-*']", "[edge-2]")).toEqual([]);
    expect(seen("[edge-1]", "['eu-*']")).toHaveLength(1);
    expect(seen("[]", "[edge-2]")).toEqual([]);
    const labelled = token("clusterLabels: {env: edge}");
    expect(check(labelled, group("{matchExpressions: [{key: env, operator: In, values: [edge]}]}"))).toEqual([]);
    expect(check(labelled, group("{matchExpressions: [{key: env, operator: In, values: [qa]}]}"))).toHaveLength(1);
  });

  it("A252 compares a limited number of names of rules with those of tokens, and warns of no rule beyond that", () => {
    const names = (count: number, start: string, end = "") =>
      Array.from({ length: count }, (_, index) => `"${start}${"a".repeat(40)}${index}${end}"`).join(", ");
    const warned = (count: number) => {
      const texts = [
        documentText("ClusterGroup", "g", `selector: {names: [${names(count, "*", "-c")}]}`),
        documentText("ClusterRegistrationToken", "t", `clusterNames: [${names(1000, "b")}]`),
      ];
      const files = texts.map((text, index) => parseText(text, `${index}.yaml`));
      const { problems } = checkFleet(files, { defaultWorkspace: "fleet", evaluatesSelectors: true });
      return problems.some(({ code }) => code === "W_EMPTY_SELECTOR");
    };
    expect([warned(10), warned(1000)]).toEqual([true, false]);
  });

  it("checks tokens of the rule's workspace only, and for a rule of all workspaces all of them", () => {
    const elsewhere = token("clusterLabels: {env: edge}").replace("  name: t", "  name: t\n  namespace: other");
    const selector = "{matchLabels: {env: edge}}";
    expect(check(elsewhere, group(selector))).toHaveLength(1);
    expect(check(elsewhere, rule("r", selector, "a: b"))).toEqual([]);
  });

  it("warns of defaults that are for no cluster, and counts the clusters that could be read", () => {
    const defaults = documentText(
      "ClusterDefaults",
      "d",
      "selector: {matchLabels: {env: qa}}",
      "agent: {logLevel: debug}",
    );
    expect(check(cluster("a", "env: prod"), cluster("b", "env: prod"), defaults)).toEqual([
      expect.stringMatching(/W_EMPTY_SELECTOR spec\.selector: it matches none, of 2 clusters that could be read$/u),
    ]);
    expect(check(cluster("a", "env: qa"), defaults)).toEqual([]);
  });

  const fleetToken = documentText("ClusterRegistrationToken", "t").replace("rollcall.dev", "fleet.cattle.io");

  it.each([
    { reason: "a file of Fleet", text: fleetToken },
    { reason: "protocol fleet", text: token("protocol: fleet") },
    { reason: "protocol clusternet", text: token("protocol: clusternet", "ttl: 1h", "clusterNames: [edge-1]") },
  ])("waits for any label that is not reserved where a token names none: $reason", ({ text }) => {
    expect(check(text, group("{matchLabels: {env: dev}}"))).toEqual([]);
    expect(check(text, group("{matchExpressions: [{key: env, operator: In, values: [dev]}]}"))).toEqual([]);
    expect(check(text, group("{matchLabels: {rollcall.dev/x: a}}"))).toHaveLength(1);
  });

  it("waits for no label where a token of Fleet names an empty list", () => {
    expect(check(token("protocol: fleet", "agentLabels: []"), group("{matchLabels: {env: dev}}"))).toHaveLength(1);
  });

  it("reports two values of equal priority once at both rules, naming the other place", () => {
    const selector = "{matchLabels: {env: prod}}";
    const problems = check(
      cluster("a", "env: prod"),
      cluster("b", "env: prod"),
      rule("gold", selector, "tier: gold"),
      rule("silver", selector, "tier: silver"),
    );
    expect(problems).toEqual([
      '19:18 E_LABEL_CONFLICT spec.labels: tier of Cluster/fleet/a and 1 more is "gold" here and "silver" in f.yaml:28, both with priority 0',
      '28:18 E_LABEL_CONFLICT spec.labels: tier of Cluster/fleet/a and 1 more is "silver" here and "gold" in f.yaml:19, both with priority 0',
    ]);
  });

  it.each([
    { reason: "the values are equal", rules: [rule("x", "{}", "tier: gold"), rule("w", "{}", "tier: gold")] },
    { reason: "one has a higher priority", rules: [rule("x", "{}", "tier: a"), rule("w", "{}", "tier: b", 1)] },
    {
      reason: "a third outranks both",
      rules: [rule("x", "{}", "tier: a"), rule("w", "{}", "tier: b"), rule("z", "{}", "tier: c", 1)],
    },
    { reason: "they set different keys", rules: [rule("x", "{}", "a: a"), rule("w", "{}", "b: b")] },
    { reason: "the file sets the key itself", rules: [rule("x", "{}", "env: a"), rule("w", "{}", "env: b")] },
    {
      reason: "an agent's label may keep one of them away",
      rules: [
        rule("x", "{matchExpressions: [{key: site, operator: DoesNotExist}]}", "tier: a"),
        rule("w", "{}", "tier: b"),
      ],
    },
  ])("sees no conflict where $reason", ({ rules }) => {
    expect(check(cluster("a", "env: prod"), ...rules)).toEqual([]);
  });
});
