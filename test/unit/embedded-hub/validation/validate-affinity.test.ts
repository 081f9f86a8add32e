import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateAffinity,
  validateSpread,
  validateTolerations,
} from "../../../../src/embedded-hub/validation/validate-affinity.ts";
import { problemsOf } from "./validation-builders.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const inValues = (...values: string[]): JsonObject => ({ key: "a", operator: "In", values });

describe("the affinity to nodes", () => {
  const terms = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({
    nodeAffinity: { [required]: { nodeSelectorTerms } },
  });
  const expression = (one: JsonObject): JsonObject => terms({ matchExpressions: [one] });
  const fields = (one: JsonObject): JsonObject => terms({ matchFields: [one] });
  const prefers = (one: JsonObject): JsonObject => ({ nodeAffinity: { [preferred]: [one] } });
  const term = `a.nodeAffinity.${required}.nodeSelectorTerms[0]`;
  const at = `${term}.matchExpressions[0]`;
  const fieldAt = `${term}.matchFields[0]`;

  it.each<{ affinity: JsonObject; problems: readonly string[] }>([
    { affinity: expression(inValues("x")), problems: [] },
    { affinity: terms(), problems: [`Required a.nodeAffinity.${required}.nodeSelectorTerms`] },
    { affinity: expression(inValues()), problems: [`Required ${at}.values`] },
    { affinity: expression({ key: "a", operator: "NotIn" }), problems: [`Required ${at}.values`] },
    { affinity: expression({ key: "a", operator: "Exists" }), problems: [] },
    { affinity: expression({ key: "a", operator: "Exists", values: ["x"] }), problems: [`Forbidden ${at}.values`] },
    {
      affinity: expression({ key: "a", operator: "DoesNotExist", values: ["x"] }),
      problems: [`Forbidden ${at}.values`],
    },
    { affinity: expression({ key: "a", operator: "Gt", values: ["1"] }), problems: [] },
    { affinity: expression({ key: "a", operator: "Gt" }), problems: [`Required ${at}.values`] },
    { affinity: expression({ key: "a", operator: "Lt", values: ["1", "2"] }), problems: [`Required ${at}.values`] },
    { affinity: expression({ key: "a", operator: "Odd" }), problems: [`Invalid ${at}.operator`] },
    { affinity: expression({ key: "a b", operator: "Exists" }), problems: [`Invalid ${at}.key`] },
    { affinity: expression(inValues("x", "a b")), problems: [`Invalid ${at}.values[1]`] },
    { affinity: fields({ key: "metadata.name", operator: "In", values: ["n"] }), problems: [] },
    { affinity: fields({ key: "metadata.uid", operator: "In", values: ["n"] }), problems: [`Invalid ${fieldAt}.key`] },
    { affinity: fields({ key: "metadata.name", operator: "Exists" }), problems: [`Invalid ${fieldAt}.operator`] },
    {
      affinity: fields({ key: "metadata.name", operator: "NotIn", values: ["n", "m"] }),
      problems: [`Required ${fieldAt}.values`],
    },
    {
      affinity: fields({ key: "metadata.name", operator: "In", values: ["N_"] }),
      problems: [`Invalid ${fieldAt}.values[0]`],
    },
    { affinity: prefers({ weight: 1, preference: { matchExpressions: [inValues("a b")] } }), problems: [] },
    { affinity: prefers({ weight: 100, preference: {} }), problems: [] },
    { affinity: prefers({ weight: 0, preference: {} }), problems: [`Invalid a.nodeAffinity.${preferred}[0].weight`] },
    { affinity: prefers({ weight: 101, preference: {} }), problems: [`Invalid a.nodeAffinity.${preferred}[0].weight`] },
  ])("has $problems in $affinity", ({ affinity, problems }) => {
    expect(problemsOf(validateAffinity({ affinity }, "a"))).toEqual(problems);
  });
});

describe("the affinity to Pods", () => {
  const good = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { a: "b" } } };
  const term = (rest: JsonObject): JsonObject => ({ ...good, ...rest });
  const keyed = (rest: JsonObject): JsonObject => ({ topologyKey: "t", ...rest });

  it.each<{ one: JsonObject; problems: readonly string[] }>([
    { one: good, problems: [] },
    {
      one: term({ topologyKey: "" }),
      problems: ["Required .topologyKey", "Invalid .topologyKey", "Invalid .topologyKey"],
    },
    { one: term({ topologyKey: "a b" }), problems: ["Invalid .topologyKey"] },
    { one: term({ namespaces: ["N_"] }), problems: ["Invalid .namespace"] },
    { one: term({ labelSelector: { matchLabels: { "a b": "" } } }), problems: ["Invalid .labelSelector.matchLabels"] },
    {
      one: term({ namespaceSelector: { matchLabels: { "a b": "" } } }),
      problems: ["Invalid .namespaceSelector.matchLabels"],
    },
    { one: term({ matchLabelKeys: ["k"] }), problems: [] },
    { one: keyed({ matchLabelKeys: ["k"] }), problems: ["Forbidden .matchLabelKeys"] },
    { one: keyed({ mismatchLabelKeys: ["k"] }), problems: ["Forbidden .mismatchLabelKeys"] },
    { one: term({ matchLabelKeys: ["a b"] }), problems: ["Invalid .matchLabelKeys[0]"] },
    { one: term({ matchLabelKeys: ["k"], mismatchLabelKeys: ["k"] }), problems: ["Invalid .matchLabelKeys[0]"] },
    {
      one: term({
        labelSelector: { matchLabels: { k: "b" }, matchExpressions: [{ key: "k", operator: "Exists" }] },
        matchLabelKeys: ["k"],
      }),
      problems: ["Invalid [0]"],
    },
  ])("has $problems in $one", ({ one, problems }) => {
    for (const name of ["podAffinity", "podAntiAffinity"]) {
      const below = (path: string) => problems.map((problem) => problem.replace(" ", ` ${path}`));
      const must = { affinity: { [name]: { [required]: [one] } } };
      expect(problemsOf(validateAffinity(must, "a"))).toEqual(below(`a.${name}.${required}[0]`));
      const may = { affinity: { [name]: { [preferred]: [{ weight: 1, podAffinityTerm: one }] } } };
      expect(problemsOf(validateAffinity(may, "a"))).toEqual(below(`a.${name}.${preferred}[0].podAffinityTerm`));
      const weightless = { affinity: { [name]: { [preferred]: [{ podAffinityTerm: good }] } } };
      expect(problemsOf(validateAffinity(weightless, "a"))).toEqual([`Invalid a.${name}.${preferred}[0].weight`]);
    }
  });
});

describe("tolerations", () => {
  it.each<{ toleration: JsonObject; problems: readonly string[] }>([
    { toleration: { key: "a", operator: "Exists" }, problems: [] },
    { toleration: { key: "a", value: "b" }, problems: [] },
    { toleration: { operator: "Exists" }, problems: [] },
    { toleration: { value: "b" }, problems: ["Invalid t[0].operator"] },
    { toleration: { operator: "Equal" }, problems: ["Invalid t[0].operator"] },
    { toleration: { key: "a b", operator: "Exists" }, problems: ["Invalid t[0].key"] },
    { toleration: { key: "a", operator: "Exists", value: "b" }, problems: ["Invalid t[0].operator"] },
    { toleration: { key: "a", operator: "Equal", value: "b c" }, problems: ["Invalid t[0].operator"] },
    { toleration: { key: "a", operator: "Odd" }, problems: ["NotSupported t[0].operator"] },
    { toleration: { key: "a", effect: "Odd" }, problems: ["NotSupported t[0].effect"] },
    { toleration: { key: "a", effect: "NoExecute", tolerationSeconds: 5 }, problems: [] },
    { toleration: { key: "a", effect: "NoSchedule", tolerationSeconds: 5 }, problems: ["Invalid t[0].effect"] },
  ])("have $problems in $toleration", ({ toleration, problems }) => {
    expect(problemsOf(validateTolerations({ tolerations: [toleration] }, "t"))).toEqual(problems);
  });
});

describe("how Pods are spread", () => {
  const good = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
  const key = "{topologyKey, whenUnsatisfiable}";

  it.each<{ constraints: readonly JsonObject[]; problems: readonly string[] }>([
    { constraints: [good], problems: [] },
    { constraints: [{ ...good, maxSkew: 0 }], problems: ["Invalid s[0].maxSkew"] },
    { constraints: [{ ...good, topologyKey: "" }], problems: ["Required s[0].topologyKey"] },
    { constraints: [{ ...good, whenUnsatisfiable: "Odd" }], problems: ["NotSupported s[0].whenUnsatisfiable"] },
    { constraints: [good, good], problems: [`Duplicate s[0].${key}`] },
    { constraints: [good, { ...good, whenUnsatisfiable: "ScheduleAnyway" }], problems: [] },
    { constraints: [{ ...good, minDomains: 1 }], problems: [] },
    { constraints: [{ ...good, minDomains: 0 }], problems: ["Invalid s[0].minDomains"] },
    {
      constraints: [{ ...good, whenUnsatisfiable: "ScheduleAnyway", minDomains: 1 }],
      problems: ["Invalid s[0].minDomains"],
    },
    {
      constraints: [{ ...good, labelSelector: { matchLabels: { "a b": "" } } }],
      problems: ["Invalid s[0].labelSelector.matchLabels"],
    },
  ])("has $problems in $constraints", ({ constraints, problems }) => {
    expect(problemsOf(validateSpread({ topologySpreadConstraints: [...constraints] }, "s"))).toEqual(problems);
  });
});
