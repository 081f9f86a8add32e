import { describe, expect, it } from "vitest";
import type { RequestAttributes } from "../../../../src/embedded-hub/auth/auth.ts";
import {
  compactRights,
  describeRule,
  missingRights,
  ruleAllows,
  rulesOf,
} from "../../../../src/embedded-hub/auth/rbac-rules.ts";
import type { PolicyRule } from "../../../../src/embedded-hub/auth/rbac-rules.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";
import { user } from "./auth-builders.ts";

const none: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** `<verbs> <groups> <resources> [<names>]` or `<verbs> <paths>`, lists with commas; `core` is the group without a name. */
function rule(text: string): PolicyRule {
  const [verbs = [], second = [], resources, resourceNames = []] = text.split(" ").map((part) => part.split(","));
  if (resources === undefined) return { ...none, verbs, nonResourceURLs: second };
  return { ...none, verbs, apiGroups: second.map((one) => (one === "core" ? "" : one)), resources, resourceNames };
}

function request(text: string): RequestAttributes {
  const [verb = "", group = "", resource = "", name] = text.split(" ");
  if (group.startsWith("/")) return { kind: "path", user: user("u"), verb, path: group };
  const [main = "", subresource] = resource.split("/");
  const attributes = { kind: "resource", user: user("u"), verb, version: "v1", resource: main } as const;
  return {
    ...attributes,
    group: group === "core" ? "" : group,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
  };
}

describe("rulesOf", () => {
  it("reads the lists of each rule, absent ones as empty", () => {
    expect(
      rulesOf({ rules: [{ verbs: ["get"], resources: ["pods"], apiGroups: [""], resourceNames: ["a"] }] }),
    ).toEqual([rule("get core pods a")]);
    expect(rulesOf({ rules: [{ nonResourceURLs: ["/x"] }] })).toEqual([{ ...none, nonResourceURLs: ["/x"] }]);
    expect(rulesOf({})).toEqual([]);
  });
});

describe("ruleAllows", () => {
  it.each([
    ["get core pods", "get core pods", true],
    ["get core pods", "list core pods", false],
    ["get core pods", "get apps pods", false],
    ["get core pods", "get core secrets", false],
    ["get core pods", "get core pods/log", false],
    ["get core pods/log", "get core pods", false],
    ["get core pods/log", "get core pods/log", true],
    ["get core */log", "get core pods/log", true],
    ["get core */log", "get core pods/exec", false],
    ["get core */", "get core pods", false],
    ["* * *", "delete apps deployments/scale x", true],
    ["get core pods a,b", "get core pods b", true],
    ["get core pods a,b", "get core pods c", false],
    ["get core pods a", "get core pods", false],
    ["get /healthz", "get /healthz", true],
    ["get /healthz", "get /healthz/x", false],
    ["get /healthz/*", "get /healthz/x", true],
    ["get /healthz/*", "get /other", false],
    ["get *", "get /any", true],
    ["post /healthz", "get /healthz", false],
    ["* * *", "get /healthz", false],
    ["* *", "get core pods", false],
  ])("with the rule %j answers to %j: %j", (text, asked, isAllowed) => {
    expect(ruleAllows(rule(text), request(asked))).toBe(isAllowed);
  });
});

describe("missingRights", () => {
  it.each([
    { held: ["get,list core pods"], wanted: "get core pods", missing: [] },
    { held: ["get core pods"], wanted: "get,list core pods", missing: ["list core pods"] },
    { held: ["get core pods"], wanted: "get core,apps pods", missing: ["get apps pods"] },
    { held: ["get core pods"], wanted: "get core pods,secrets", missing: ["get core secrets"] },
    { held: ["get core pods", "list core secrets"], wanted: "get core secrets", missing: ["get core secrets"] },
    { held: ["get core pods", "get core secrets"], wanted: "get core pods,secrets", missing: [] },
    { held: ["get core pods"], wanted: "* core pods", missing: ["* core pods"] },
    { held: ["* core pods"], wanted: "* core pods", missing: [] },
    { held: ["get core pods"], wanted: "get * pods", missing: ["get * pods"] },
    { held: ["get core pods"], wanted: "get core *", missing: ["get core *"] },
    { held: ["get core *"], wanted: "get core pods/log", missing: [] },
    { held: ["get core pods"], wanted: "get core pods/log", missing: ["get core pods/log"] },
    { held: ["get core */log"], wanted: "get core pods/log", missing: [] },
    { held: ["get core */log"], wanted: "get core pods/exec", missing: ["get core pods/exec"] },
    { held: ["get core */log"], wanted: "get core log", missing: ["get core log"] },
    { held: ["get core pods a,b"], wanted: "get core pods a", missing: [] },
    { held: ["get core pods a"], wanted: "get core pods a,b", missing: ["get core pods b"] },
    { held: ["get core pods a"], wanted: "get core pods", missing: ["get core pods"] },
    { held: ["get /a"], wanted: "get /a,/b", missing: ["get /b"] },
    { held: ["get /a/*"], wanted: "get /a/b", missing: [] },
    { held: ["get /a/*"], wanted: "get /a/*", missing: [] },
    { held: ["get /a/b"], wanted: "get /a/*", missing: ["get /a/*"] },
    { held: ["get *"], wanted: "get /a", missing: [] },
    { held: ["get /a"], wanted: "get *", missing: ["get *"] },
    { held: ["get /a"], wanted: "post /a", missing: ["post /a"] },
    { held: ["* * *"], wanted: "get /a", missing: ["get /a"] },
    { held: [], wanted: "get core pods", missing: ["get core pods"] },
  ])("of $wanted to who holds $held are $missing", ({ held, wanted, missing }) => {
    expect(missingRights(held.map(rule), [rule(wanted)])).toEqual(missing.map(rule));
  });

  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  it("compares up to 2,000 rights one by one, and whole rules beyond", () => {
    const wanted = (count: number) => ({ ...rule("get core x"), resources: names("r", count) });
    const halves = (count: number) => {
      const all = names("r", count);
      return [all.slice(0, count / 2), all.slice(count / 2)].map((resources) => ({ ...rule("get core x"), resources }));
    };
    expect(missingRights(halves(2_000), [wanted(2_000)])).toEqual([]);
    expect(missingRights(halves(2_002), [wanted(2_002)])).toEqual([wanted(2_002)]);
    expect(missingRights([{ ...wanted(2_002), verbs: ["get", "list"] }], [wanted(2_002)])).toEqual([]);
  });

  it("counts verbs, groups, resources, names and paths of a rule", () => {
    const halves = ["get core x", "list core x"].map(rule);
    const isWhole = (wanted: PolicyRule) => missingRights(halves, [wanted]).length === 1;
    const wide = rule("get,list core x");
    expect(isWhole({ ...wide, resources: ["x", ...names("r", 1_000)] })).toBe(true);
    expect(isWhole({ ...wide, apiGroups: ["", ...names("g", 1_000)] })).toBe(true);
    expect(isWhole({ ...wide, resourceNames: names("n", 1_001) })).toBe(true);
    expect(isWhole({ ...wide, nonResourceURLs: names("/u", 1_000) })).toBe(true);
    expect(isWhole({ ...wide, nonResourceURLs: names("/u", 2) })).toBe(false);
    expect(isWhole({ ...wide, resources: ["x", "y", "z"] })).toBe(false);
  });

  it("compares whole rules where single ones times those held would be too many", () => {
    const wanted = { ...rule("get,list core x"), resourceNames: names("n", 100) };
    const held = (count: number) => [
      ...["get core x", "list core x"].map(rule),
      ...names("h", count - 2).map((name) => rule(`get core ${name}`)),
    ];
    expect(missingRights(held(1_000), [wanted])).toEqual([]);
    expect(missingRights(held(1_001), [wanted])).toEqual([wanted]);
  });
});

describe("thousands of paths with a star", () => {
  const paths = Array.from({ length: 10_000 }, (_, index) => `/a${index}/`);
  const held = [{ ...none, verbs: ["get"], nonResourceURLs: paths.map((path) => `${path}*`) }];

  it("are not compared with each path of a role that is written", () => {
    const wanted = [{ ...none, verbs: ["get"], nonResourceURLs: paths.toReversed().map((path) => `${path}b`) }];
    const work = () => missingRights(held, wanted);
    expect(work()).toEqual([]);
    expect(leastCpuMs(work, 200)).toBeLessThan(200);
  });

  it.each(["/a1/", "/a1/*", "/a1/b/*"])("cover %s", (path) => {
    expect(missingRights(held, [{ ...none, verbs: ["get"], nonResourceURLs: [path] }])).toEqual([]);
  });

  it.each(["/a1", "/a", "*", "/a10000/"])("do not cover %s", (path) => {
    expect(missingRights(held, [{ ...none, verbs: ["get"], nonResourceURLs: [path] }])).toHaveLength(1);
  });
});

describe("compactRights", () => {
  it("joins the verbs of rights on the same things, and leaves paths alone", () => {
    const rights = ["get core pods", "list core pods", "get core pods a", "get core secrets", "get /a", "post /a"];
    expect(compactRights(rights.map(rule))).toEqual(
      ["get,list core pods", "get core pods a", "get core secrets", "get /a", "post /a"].map(rule),
    );
  });
});

describe("describeRule", () => {
  it.each([
    ["get core pods a", '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}'],
    ["get,post /a", '{NonResourceURLs:["/a"], Verbs:["get" "post"]}'],
  ])("words %j", (text, expected) => {
    expect(describeRule(rule(text))).toBe(expected);
  });
});
