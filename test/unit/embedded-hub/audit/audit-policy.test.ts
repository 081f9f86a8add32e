import { describe, expect, it } from "vitest";
import { parseAuditPolicy } from "../../../../src/embedded-hub/audit/audit-policy.ts";
import { ruleFor } from "../../../../src/embedded-hub/audit/match-rule.ts";
import { readRequestInfo } from "../../../../src/embedded-hub/request/request-info.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
const user = { username: "ann", groups: ["one", "two"] };

describe("parseAuditPolicy", () => {
  it.each([
    ["kind: Policy\nrules: []", "it must have apiVersion: audit.k8s.io/v1 and kind: Policy"],
    ["a: [", "line 1: it is not valid YAML (BAD_INDENT)"],
    ["- a", "it must be a map"],
    [head, "rules: it must have at least one rule"],
    [`${head}rules: 1`, "rules: it must be a list"],
    [`${head}rule: []`, 'unknown field "rule"'],
    [`${head}rules: [{}]`, "rules[0].level: it must be one of None, Metadata, Request, RequestResponse"],
    [`${head}rules: [{level: All}]`, "rules[0].level: it must be one of None, Metadata, Request, RequestResponse"],
    [`${head}rules: [{level: None, user: [a]}]`, 'rules[0]: unknown field "user"'],
    [`${head}rules: [{level: None, users: [1]}]`, "rules[0].users[0]: it must be a text"],
    [`${head}rules: [{level: None, omitStages: [Done]}]`, "rules[0].omitStages[0]: it must be one of "],
    [`${head}rules: [{level: None, omitManagedFields: 1}]`, "rules[0].omitManagedFields: it must be true or false"],
    [`${head}rules: [{level: None, nonResourceURLs: [a]}]`, "rules[0].nonResourceURLs[0]: non-resource URL rules must"],
    [`${head}rules: [{level: None, nonResourceURLs: ["/a*b"]}]`, "rules[0].nonResourceURLs[0]: non-resource URL wild"],
    [
      `${head}rules: [{level: None, nonResourceURLs: ["/a"], namespaces: [b]}]`,
      "rules[0].nonResourceURLs: rules cannot",
    ],
    [
      `${head}rules: [{level: None, resources: [{group: apps/v1}]}]`,
      "rules[0].resources[0].group: it must be the name",
    ],
    [`${head}rules: [{level: None, resources: [{resourceNames: [a]}]}]`, "rules[0].resources[0].resourceNames: using"],
  ])("refuses %j", (text, problem) => {
    expect(() => parseAuditPolicy(text, "policy.yaml")).toThrowError(`the audit policy policy.yaml: ${problem}`);
  });
});

describe("ruleFor", () => {
  it.each([
    ["users: [ann]", "GET", "/version", true],
    ["users: [bob]", "GET", "/version", false],
    ["userGroups: [two, three]", "GET", "/version", true],
    ["userGroups: [three]", "GET", "/version", false],
    ["verbs: [list]", "GET", "/api/v1/pods", true],
    ["verbs: [list]", "GET", "/api/v1/namespaces/a/pods/b", false],
    ['resources: [{group: ""}]', "GET", "/api/v1/pods", true],
    ['resources: [{group: ""}]', "GET", "/apis/apps/v1/deployments", false],
    ['resources: [{group: ""}]', "GET", "/version", false],
    ["resources: [{resources: [pods]}]", "GET", "/api/v1/namespaces/a/pods/b/log", false],
    ["resources: [{resources: [pods/log]}]", "GET", "/api/v1/namespaces/a/pods/b/log", true],
    ["resources: [{resources: ['pods/*']}]", "GET", "/api/v1/namespaces/a/pods/b/log", true],
    ["resources: [{resources: ['*/log']}]", "GET", "/api/v1/namespaces/a/pods/b/log", true],
    ["resources: [{resources: ['*']}]", "GET", "/api/v1/namespaces/a/pods/b/log", true],
    ["resources: [{resources: [pods], resourceNames: [b]}]", "GET", "/api/v1/namespaces/a/pods/b", true],
    ["resources: [{resources: [pods], resourceNames: [c]}]", "GET", "/api/v1/namespaces/a/pods/b", false],
    ["namespaces: [a]", "GET", "/api/v1/namespaces/a/pods", true],
    ["namespaces: [a]", "GET", "/api/v1/namespaces/b/pods", false],
    ["namespaces: ['']", "GET", "/api/v1/nodes", true],
    ["nonResourceURLs: ['/ver*']", "GET", "/version", true],
    ["nonResourceURLs: ['*']", "GET", "/version", true],
    ["nonResourceURLs: [/ver]", "GET", "/version", false],
    ["nonResourceURLs: ['*']", "GET", "/api/v1/pods", false],
  ])("%s on %s %s: %s", (rule, method, path, isMatched) => {
    const policy = parseAuditPolicy(`${head}rules: [{level: Metadata, ${rule}}]`, "policy.yaml");
    const info = readRequestInfo(method, path);
    if (info.kind === "malformed") throw new Error(info.message);
    expect(ruleFor(policy, user, info) !== undefined).toBe(isMatched);
  });

  it("takes the first rule that matches, and none for level None or without a match", () => {
    const rules = "[{level: None, users: [ann]}, {level: Request, userGroups: [one]}]";
    const policy = parseAuditPolicy(`${head}rules: ${rules}`, "policy.yaml");
    const info = { kind: "path", verb: "get", method: "GET", path: "/version", query: new URLSearchParams() } as const;
    expect(ruleFor(policy, user, info)).toBeUndefined();
    expect(ruleFor(policy, { ...user, username: "bob" }, info)?.level).toBe("Request");
    expect(ruleFor(policy, undefined, info)).toBeUndefined();
  });
});
