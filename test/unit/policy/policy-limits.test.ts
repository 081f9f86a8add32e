import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { compileRule } from "../../../src/policy/compile-rule.ts";
import { defaultPolicyLimits } from "../../../src/policy/policy-limits.ts";
import { evaluatePolicies, evaluatePoliciesInSlices } from "../../../src/policy/evaluate-policies.ts";
import { randomCel } from "../../fuzz/random-cel.ts";
import { diceOf } from "../../fuzz/random-input.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { clusterOf, policyOf, subjectOf } from "./policy-builders.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { ofThisMachine, startCpuWatch } from "../../support/of-this-machine.ts";

/** The table of docs/security.md, Worst policies. */
const isPrinted = process.env["ROLLCALL_POLICY_COST"] !== undefined;

const wide: KubeObject = {
  ...clusterOf("wide"),
  list: Array.from({ length: 5000 }, (_, index) => `item-${index}`),
  map: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, index])),
  text: "a".repeat(200_000),
};

/** `((s + s) + ...)`, each time twice as long, by names bound to names. */
function doubled(start: string, times: number): string {
  let text = "v0 == v0";
  for (let index = times; index > 0; index--) text = `cel.bind(v0, v0 + v0, ${text})`;
  return `cel.bind(v0, ${start}, ${text})`;
}

describe("what a policy may cost", () => {
  it.each([
    {
      reason: "loops within loops",
      expression: "object.list.all(a, object.list.all(b, object.list.all(c, a + b + c != '')))",
    },
    { reason: "loops whose body is a literal", expression: "object.list.all(a, object.list.all(b, true))" },
    {
      reason: "loops that swallow errors",
      expression: "object.list.exists(a, object.list.exists(b, object.list.exists(c, a.none == b)))",
    },
    { reason: "loops that make lists", expression: "object.list.map(a, object.list.map(b, object.list)).size() > 0" },
    { reason: "texts that double", expression: doubled("object.text", 22) },
    { reason: "lists that double", expression: doubled("object.list", 22) },
    {
      reason: "lists of lists that double",
      expression: doubled("[object.list]", 23).replaceAll("v0 + v0", "[v0, v0]"),
    },
    { reason: "joins of long texts", expression: "object.list.map(a, object.text).join(object.text) != ''" },
    { reason: "long lists joined by a long text", expression: "object.list.join(object.text) != ''" },
    { reason: "long texts searched again and again", expression: "object.list.all(a, !object.text.contains(a))" },
    {
      reason: "large maps counted again and again",
      expression: "object.list.all(a, object.list.all(b, object.map.size() > 0))",
    },
    {
      reason: "a pattern that ordinary engines do not finish",
      expression: "object.list.all(a, !(object.text + '!').matches('^(a|a)*$'))",
    },
    { reason: "a pattern that is long", expression: "object.list.all(a, a.matches('(x?){500}x{500}') || true)" },
    { reason: "patterns made by the document", expression: "object.list.all(a, !'item'.matches(a + '(x{2}){200}'))" },
    {
      reason: "patterns that ignore case, each another one, over ranges of all characters",
      expression: `object.list.all(a, a.matches('(?i)' + a + '${"[a-\\\\x{10ffff}]".repeat(50)}') || true)`,
    },
    {
      reason: "patterns that ignore case, each another one, of classes of characters",
      expression: `object.list.all(a, a.matches('(?i)' + a + '${"\\\\pL\\\\pN".repeat(50)}') || true)`,
    },
    { reason: "lists compared with one another", expression: "object.list.all(a, object.list == object.list)" },
    { reason: "lists searched again and again", expression: "object.list.all(a, a in object.list)" },
  ])("A61 is bounded: $reason", ({ reason, expression }) => {
    const [problem] = evaluatePolicies([policyOf(expression)], [subjectOf(wide)]);
    expect(problem).toMatchObject({ code: "E_POLICY_EXPRESSION", file: "policies/house.yaml" });
    expect(problem?.message).toContain("costs too much (policy house, rule 1) and was stopped at Cluster/fleet/wide");
    const cpuMs = leastCpuMs(() => evaluatePolicies([policyOf(expression)], [subjectOf(wide)]), isPrinted ? 0 : 200);
    if (isPrinted) process.stdout.write(`| ${reason} | ${Math.round(cpuMs)} |\n`);
    expect(cpuMs).toBeLessThan(200);
  });

  it("A61 compiles no more than so many characters of expressions", () => {
    const long = `object.kind != '${"x".repeat(4000)}'`;
    const policies = Array.from({ length: 30 }, () => policyOf(long));
    const problems = evaluatePolicies(policies, [subjectOf(wide)]);
    expect(problems.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => "E_POLICY_EXPRESSION"));
    expect(problems[0]?.message).toContain("all expressions together have more than 100000 characters");
  });

  it.each([1, 100, 1000])(
    "A61 gives others their turn each 200 ms, over %s clusters of random heavy rules",
    async (count) => {
      const dice = diceOf(seededRandom(count));
      const names = { lists: ["object.list"], maps: ["object.map"], texts: ["object.text", "path"], numbers: ["1"] };
      const policies = Array.from({ length: 60 }, () => policyOf(randomCel(dice, names).slice(0, 4096)));
      const subjects = Array.from({ length: count }, (_, index) =>
        subjectOf({ ...wide, metadata: { name: `c${index}`, namespace: "fleet" }, text: "a".repeat(2000) }),
      );
      let sinceMs = startCpuWatch();
      const slicesMs: number[] = [];
      const pause = async (): Promise<void> => {
        slicesMs.push(sinceMs());
        sinceMs = startCpuWatch();
      };
      await evaluatePoliciesInSlices(policies, subjects, { pause });
      await pause();
      expect(slicesMs.sort((a, b) => b - a)[0]).toBeLessThan(ofThisMachine(200));
      // Half a microsecond for each unit, and what copying the documents takes.
      const { units, unitsPerDocument } = defaultPolicyLimits;
      const boundMs = 300 + (units + count * unitsPerDocument) / 2000 + count * 5;
      expect(slicesMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(ofThisMachine(boundMs));
    },
  );

  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const patterns = Array.from({ length: 20 }, (_, index) => `/*a*b*c*d*e*f*${index}*x/**/y`);

  it.each([
    { reason: "rules that cost nothing", policies: many(20, () => policyOf("true")), slices: 8 },
    { reason: "rules that every document breaks", policies: many(20, () => policyOf("false")), slices: 8 },
    {
      reason: "rules for other kinds",
      policies: many(100, () => policyOf("true", { scope: { kinds: ["ClusterGroup"] } })),
      slices: 20,
    },
    {
      reason: "rules for other files",
      policies: many(2, () => policyOf("true", { scope: { paths: patterns } })),
      slices: 4,
    },
  ])("A61 gives others their turn after 50,000 units, over 10,000 clusters: $reason", async ({ policies, slices }) => {
    const subjects = Array.from({ length: 10_000 }, (_, index) =>
      subjectOf(clusterOf(`c${index}`), { position: { file: `abcabcabcdef/c${index}.yaml`, line: 1, column: 1 } }),
    );
    let pauses = 0;
    await evaluatePoliciesInSlices(policies, subjects, { pause: async () => void (pauses += 1) });
    // One for each policy that is compiled.
    expect(pauses - policies.length).toBeGreaterThanOrEqual(slices);
  });

  it.each([
    { reason: "by rules that cost nothing", policy: policyOf("true") },
    { reason: "by the paths of its scope", policy: policyOf("true", { scope: { paths: patterns } }) },
  ])("A61 stops a policy that has spent what all may spend $reason", ({ policy }) => {
    const subjects = Array.from({ length: 100 }, (_, index) => subjectOf(clusterOf(`c${index}`)));
    const problems = evaluatePolicies([policy], subjects, { limits: { units: 50, unitsPerDocument: 0 } });
    expect(problems.map(({ code }) => code)).toEqual(["E_POLICY_EXPRESSION"]);
  });

  it("A85 stops at a number of units, however many documents there are", () => {
    const subjects = Array.from({ length: 100 }, (_, index) => subjectOf(clusterOf(`c${index}`)));
    expect(evaluatePolicies([policyOf("true")], subjects, { limits: { mostUnits: 300 } })).toEqual([]);
    const problems = evaluatePolicies([policyOf("true")], subjects, { limits: { mostUnits: 200 } });
    expect(problems.map(({ code }) => code)).toEqual(["E_POLICY_EXPRESSION"]);
  });

  it("A85 reads policies for other kinds no more often than all may spend", () => {
    let looks = 0;
    const kinds = ["ClusterGroup"];
    const policies = many(100, () => policyOf("true", { scope: { kinds } }));
    const subjects = many(100, () => {
      const subject = subjectOf(clusterOf("a"));
      return {
        ...subject,
        get object() {
          looks += 1;
          return subject.object;
        },
      };
    });
    evaluatePolicies(policies, subjects, { limits: { units: 100, unitsPerDocument: 0 } });
    // 100 units are 500 reads. Then each rule is stopped at one more document, and named there.
    expect(looks).toBeLessThan(500 + 5 * policies.length);
  });

  it("A61 reports ten broken rules of a document, and how many more there are", () => {
    const warning = policyOf({ expression: "false", severity: "Warning" });
    const policies = [...many(12, () => warning), ...many(1000, () => policyOf("false"))];
    const problems = evaluatePolicies(policies, [subjectOf(clusterOf("a")), subjectOf(clusterOf("b"))]);
    expect(problems).toHaveLength(2 * 22);
    const more = problems.filter(({ message }) => message.startsWith("and "));
    expect(more.map(({ code, severity, file, message }) => `${code} ${severity} ${file}: ${message}`)).toEqual([
      "E_POLICY error clusters/a.yaml: and 990 more broken rules",
      "W_POLICY warning clusters/a.yaml: and 2 more broken rules",
      "E_POLICY error clusters/b.yaml: and 990 more broken rules",
      "W_POLICY warning clusters/b.yaml: and 2 more broken rules",
    ]);
  });

  it("A61 locates a rule only when the rule is reported", () => {
    let asked = 0;
    const locate = () => ({ file: "policies/house.yaml", line: (asked += 1), column: 1 });
    evaluatePolicies([...many(50, () => policyOf("false")), policyOf("object.")], [subjectOf(wide)], { locate });
    expect(asked).toBe(1);
  });

  it("stops a rule for good, and leaves the others", () => {
    const subjects = [1, 2, 3].map((index) =>
      subjectOf({ ...wide, metadata: { name: `c${index}`, namespace: "fleet" } }),
    );
    const costly = "object.list.all(a, object.list.all(b, a != b || true))";
    const problems = evaluatePolicies([policyOf(costly), policyOf("false")], subjects);
    expect(problems.map(({ code }) => code)).toEqual(["E_POLICY", "E_POLICY", "E_POLICY", "E_POLICY_EXPRESSION"]);
  });

  it("bounds all rules on all documents together", () => {
    const subjects = Array.from({ length: 50 }, (_, index) =>
      subjectOf({ ...clusterOf(`c${index}`), list: wide["list"] }),
    );
    const limits = { units: 10_000, unitsPerDocument: 10 };
    const problems = evaluatePolicies([policyOf("object.list.all(a, a != '')")], subjects, { limits });
    expect(problems.map(({ code }) => code)).toEqual(["E_POLICY_EXPRESSION"]);
  });

  it("costs the same every time, so that review and reconcile agree", () => {
    const rule = compileRule("object.name.matches('^[a-z]{1,9}$') && object.list.all(a, a.size() > 0)");
    if (rule.kind !== "rule") throw new Error(rule.detail);
    const input = { object: { name: "abc", list: ["x", "y"] }, oldObject: null, path: "" };
    const first = rule.evaluate(input, 10_000);
    expect(first.kind).toBe("good");
    expect([1, 2, 3].map(() => rule.evaluate(input, 10_000))).toEqual([first, first, first]);
  });

  it("leaves ordinary rules far from the limits", () => {
    const rule = compileRule(
      "object.metadata.labels.all(k, k.matches('^[a-z0-9./-]{1,253}$') && object.metadata.labels[k].size() < 64)",
    );
    if (rule.kind !== "rule") throw new Error(rule.detail);
    const labels = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`example.com/label-${index}`, "value"]),
    );
    const outcome = rule.evaluate({ object: { metadata: { labels } }, oldObject: null, path: "" }, 50_000);
    expect(outcome.kind).toBe("good");
    expect(outcome.units).toBeLessThan(defaultPolicyLimits.unitsPerEvaluation / 2);
  });

  it("never throws, whatever the expression", () => {
    const words = fc.constantFrom(
      ..."object oldObject path . [ ] ( ) ? : && || ! == != + - * / % in has all exists map filter x y 'a' \"b\" 1 2u 0.5 , { } null true size() matches('(') cel.bind optional.of .?x duration('1h')".split(
        " ",
      ),
    );
    const expressions = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" "));
    const subject = subjectOf(clusterOf("a"));
    fc.assert(
      fc.property(expressions, (expression) => {
        for (const problem of evaluatePolicies([policyOf(expression)], [subject])) {
          expect(["E_POLICY", "E_POLICY_EXPRESSION"]).toContain(problem.code);
        }
      }),
      { numRuns: 300 },
    );
  });
});
