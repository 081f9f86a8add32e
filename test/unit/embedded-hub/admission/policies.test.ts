import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { UserInfo } from "../../../../src/embedded-hub/auth/auth.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { OperationContext } from "../../../../src/embedded-hub/operations/operations.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, configMap, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const group = "admissionregistration.k8s.io/v1";
const configMaps = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
};

function policy(spec: JsonObject, name = "p"): KubeObject {
  const failurePolicy = "Fail";
  const kind = "ValidatingAdmissionPolicy";
  return {
    apiVersion: group,
    kind,
    metadata: { name },
    spec: { failurePolicy, matchConstraints: configMaps, ...spec },
  };
}

function binding(spec: JsonObject = {}, policyName = "p"): KubeObject {
  const kind = "ValidatingAdmissionPolicyBinding";
  return {
    apiVersion: group,
    kind,
    metadata: { name: "b" },
    spec: { policyName, validationActions: ["Deny"], ...spec },
  };
}

function withData(name: string, data: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { ...configMap(name, metadata), data };
}

async function startWith(spec: JsonObject, bound: JsonObject = {}): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.create(policy(spec));
  await world.create(binding(bound));
  return world;
}

/** What a write in this context ends with, and the warnings it collects. */
async function attempt({ operations }: HubWorld, object: KubeObject, user: UserInfo = administrator) {
  const context: OperationContext = contextOf(user);
  const definition = operations.definitionOfKind(object.apiVersion, object.kind);
  if (definition === undefined) throw new Error(`${object.kind} is not served`);
  const { namespace } = object.metadata;
  try {
    await operations.create(context, { definition, ...(namespace ? { namespace } : {}) }, object);
    return { warnings: context.warnings };
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    const { code, reason, message, details } = error.status;
    return { code, reason, message, causes: details?.causes, warnings: context.warnings };
  }
}

describe("a policy without a binding", () => {
  it("does nothing", async () => {
    const { create } = await startHubWorld();
    await create(policy({ validations: [{ expression: "false" }] }));
    expect(await refusalOf(create(configMap("a")))).toBeUndefined();
  });
});

describe("a bound policy", () => {
  it("refuses what fails, in the words of kube-apiserver", async () => {
    const world = await startWith({ validations: [{ expression: "size(object.data) < 2" }] });
    expect(await attempt(world, withData("a", { one: "1" }))).toEqual({ warnings: [] });
    const text =
      "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: size(object.data) < 2";
    expect(await attempt(world, withData("x", { one: "1", two: "2" }))).toEqual({
      code: 422,
      reason: "Invalid",
      message: `configmaps "x" is forbidden: ${text}`,
      causes: [{ message: text }],
      warnings: [],
    });
  });

  it("answers its message, or what the message's expression evaluates to", async () => {
    const world = await startWith({
      validations: [
        { expression: "!('a' in object.data)", message: "no a" },
        {
          expression: "!('b' in object.data)",
          message: "not said",
          messageExpression: "request.userInfo.username + ' wrote ' + object.data.b",
          reason: "Forbidden",
        },
        { expression: "!('c' in object.data)", message: "said instead", messageExpression: "string(object.data.none)" },
      ],
    });
    const said = async (key: string) => {
      const { code, reason, message } = await attempt(world, withData("x", { [key]: "it" }));
      return [code, reason, message?.slice(message.indexOf("request: ") + 9)];
    };
    expect(await said("a")).toEqual([422, "Invalid", "no a"]);
    expect(await said("b")).toEqual([403, "Forbidden", "admin wrote it"]);
    expect(await said("c")).toEqual([422, "Invalid", "said instead"]);
  });

  it("sees the old object, and the object that is deleted", async () => {
    const world = await startWith({
      validations: [
        {
          expression: "request.operation != 'UPDATE' || object.data.key == oldObject.data.key",
          message: "fixed",
        },
        { expression: "request.operation != 'DELETE' || oldObject.data.key != 'kept'", message: "kept" },
      ],
    });
    await world.create(withData("a", { key: "kept" }));
    const edit = world.change("configmaps", "a", (object) => ({ ...object, data: { key: "other" } }));
    expect(await refusalOf(edit)).toMatch(/denied request: fixed$/u);
    expect(await refusalOf(world.remove("configmaps", "a"))).toMatch(/denied request: kept$/u);
    expect(world.get("configmaps", "a")).toBeDefined();
  });

  it("sees no name in a delete of a collection, and each object", async () => {
    const world = await startWith({
      validations: [
        {
          expression: "request.operation != 'DELETE' || !has(oldObject.data.key) || oldObject.data.key != 'kept'",
          messageExpression: "'named: ' + string(has(request.name))",
        },
      ],
    });
    const definition = world.operations.definitionOf("", "configmaps");
    if (definition === undefined) throw new Error("ConfigMaps are not served");
    await world.create(withData("a", { key: "kept" }));
    const target = { definition, namespace: "shop" };
    const request = { query: { namespace: "shop" }, options: {} };
    const work = world.operations.deleteCollection(contextOf(administrator), target, request);
    expect(await refusalOf(work)).toMatch(/^configmaps "Unknown" is forbidden: .*named: false$/u);
  });

  it("uses variables, and evaluates only what its conditions let through", async () => {
    const world = await startWith({
      matchConditions: [{ name: "marked", expression: "has(object.metadata.labels)" }],
      variables: [
        { name: "keys", expression: "object.data.map(key, key)" },
        { name: "bad", expression: "variables.keys.filter(key, key.startsWith('bad'))" },
      ],
      validations: [{ expression: "variables.bad.size() == 0", messageExpression: "variables.bad.join('+')" }],
    });
    const data = { bad1: "", bad2: "", good: "" };
    expect((await attempt(world, withData("a", data))).message).toBeUndefined();
    expect((await attempt(world, withData("b", data, { labels: { any: "" } }))).message).toMatch(/: bad1\+bad2$/u);
  });

  it("warns instead of refusing, of everything that fails", async () => {
    const world = await startWith(
      { validations: [{ expression: "false", message: "one" }, { expression: "true" }, { expression: "1 > 2" }] },
      { validationActions: ["Warn", "Audit"] },
    );
    expect(await attempt(world, withData("a", {}))).toEqual({
      warnings: [
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': one",
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: 1 > 2",
      ],
    });
  });

  it("evaluates a variable once, also one that is null", async () => {
    const steps = Array.from(
      { length: 20 },
      (_, index) => `variables.v${index} == null && variables.v${index} == null`,
    );
    const variables = [
      { name: "v0", expression: "null" },
      ...steps.map((step, index) => ({ name: `v${index + 1}`, expression: `${step} ? null : null` })),
    ];
    const world = await startWith({ variables, validations: [{ expression: "variables.v20 == null" }] });
    expect((await attempt(world, configMap("a"))).message).toBeUndefined();
  });

  it.each([
    ["authorizer.path(' ').check('get').allowed()", "path must not be empty"],
    ["authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"],
    ["!authorizer.serviceAccount('A', 'B').path('/x').check('get').allowed()", "Invalid service account name"],
    ["!authorizer.serviceAccount('A', 'b').path('/x').check('get').allowed()", "Invalid service account namespace"],
  ])("refuses a question about nothing: %s", async (expression, fault) => {
    const world = await startWith({ validations: [{ expression }] });
    expect((await attempt(world, configMap("a"))).message).toMatch(new RegExp(`resulted in error: ${fault}$`, "u"));
  });

  it("refuses what it cannot evaluate, unless it declares that failures are ignored", async () => {
    const validations = [{ expression: "object.data.missing == 'x'" }];
    const world = await startWith({ validations });
    expect((await attempt(world, withData("a", { other: "" }))).message).toBe(
      "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: " +
        "expression 'object.data.missing == 'x'' resulted in error: no such key: missing",
    );
    await world.change("validatingadmissionpolicies", "p", (object) => ({
      ...object,
      spec: policy({ validations, failurePolicy: "Ignore" })["spec"],
    }));
    expect((await attempt(world, withData("a", { other: "" }))).message).toBeUndefined();
  });

  it("asks the authorizer about the one who writes", async () => {
    const world = await startWith({
      validations: [
        {
          expression: "authorizer.group('').resource('secrets').namespace('shop').check('get').allowed()",
          message: "may read no Secrets",
        },
        { expression: "authorizer.requestResource.check('create').allowed()", message: "may not create these" },
      ],
    });
    expect((await attempt(world, configMap("a"))).message).toBeUndefined();
    const nobody = { username: "nobody", groups: ["system:authenticated"] };
    expect((await attempt(world, configMap("b"), nobody)).message).toMatch(/request: may read no Secrets$/u);
  });

  it("knows the namespace of the object", async () => {
    const world = await startWith({
      validations: [{ expression: "namespaceObject.metadata.name != 'shop'", message: "not here" }],
    });
    expect((await attempt(world, configMap("a"))).message).toMatch(/request: not here$/u);
    expect((await attempt(world, configMap("a", { namespace: "default" }))).message).toBeUndefined();
  });
});

describe("parameters", () => {
  const validations = [
    { expression: "size(object.data) <= int(params.data.most)", messageExpression: "string(params.data.most)" },
  ];
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const two = { a: "", b: "" };

  it("are the objects that a binding names or selects: each is evaluated", async () => {
    const world = await startWith({ validations, paramKind, matchConditions: [marked] });
    await world.create(withData("lax", { most: "2" }, { labels: { limit: "" } }));
    await world.create(withData("strict", { most: "1" }, { labels: { limit: "" } }));
    const paramRef = { namespace: "shop", parameterNotFoundAction: "Deny" };
    const rebind = (extra: JsonObject) =>
      world.change("validatingadmissionpolicybindings", "b", (object) => ({
        ...object,
        spec: binding({ paramRef: { ...paramRef, ...extra } })["spec"],
      }));
    await rebind({ name: "lax" });
    expect((await attempt(world, withData("x1", two, markedLabels))).message).toBeUndefined();
    await rebind({ name: "strict" });
    expect((await attempt(world, withData("x2", two, markedLabels))).message).toMatch(/request: 1$/u);
    await rebind({ selector: { matchLabels: { limit: "" } } });
    expect((await attempt(world, withData("x3", two, markedLabels))).message).toMatch(/request: 1$/u);
    await rebind({ name: "gone" });
    expect((await attempt(world, withData("x4", two, markedLabels))).message).toMatch(
      /denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/u,
    );
    await rebind({ name: "gone", parameterNotFoundAction: "Allow" });
    expect((await attempt(world, withData("x5", two, markedLabels))).message).toBeUndefined();
  });

  it("of a kind that is not served are a fault of the policy, whatever binds it", async () => {
    const unserved = { apiVersion: "example.org/v1", kind: "Absent" };
    const world = await startWith({ validations, paramKind: unserved, matchConditions: [marked] });
    const paramRef = { name: "a", parameterNotFoundAction: "Deny" };
    await world.change("validatingadmissionpolicybindings", "b", (object) => ({
      ...object,
      spec: binding({ paramRef })["spec"],
    }));
    expect((await attempt(world, withData("x", two, markedLabels))).message).toMatch(
      /ValidatingAdmissionPolicy '[^']+' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.org\/v1, Kind=Absent'$/u,
    );
  });
});

const marked = { name: "marked", expression: "has(object.metadata.labels) && 'marked' in object.metadata.labels" };
const markedLabels = { labels: { marked: "" } };

describe("what a policy matches", () => {
  const validations = [{ expression: "false" }];
  const isRefused = async (world: HubWorld, object: KubeObject) => (await attempt(world, object)).message !== undefined;

  it("is narrowed by its rules, by exclusions and by names", async () => {
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["*"] };
    const excluded = { ...rule, resources: ["secrets"], resourceNames: ["free"] };
    const matchConstraints = { resourceRules: [rule], excludeResourceRules: [excluded] };
    const world = await startWith({ validations, matchConstraints });
    const secret = (name: string) => ({ ...configMap(name), kind: "Secret" });
    expect(await isRefused(world, secret("free"))).toBe(false);
    expect(await isRefused(world, secret("other"))).toBe(true);
    expect(await isRefused(world, configMap("free"))).toBe(true);
    expect(await refusalOf(world.remove("secrets", "free"))).toBeUndefined();
  });

  it("is narrowed by selectors, the binding's too", async () => {
    const matchConstraints = { ...configMaps, objectSelector: { matchLabels: { evaluate: "me" } } };
    const world = await startWith(
      { validations, matchConstraints },
      { matchResources: { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } } } },
    );
    const labels = { evaluate: "me" };
    expect(await isRefused(world, configMap("a"))).toBe(false);
    expect(await isRefused(world, configMap("b", { labels }))).toBe(true);
    expect(await isRefused(world, configMap("c", { labels, namespace: "default" }))).toBe(false);
  });

  it("is neither a policy nor a question about rights: no policy locks its author out", async () => {
    const anything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] };
    const world = await startWith({ validations, matchConstraints: { resourceRules: [anything] } });
    expect(await isRefused(world, configMap("a"))).toBe(true);
    const asked = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: { name: "" } };
    const spec = { nonResourceAttributes: { path: "/", verb: "get" } };
    expect((await attempt(world, { ...asked, spec })).message).toBeUndefined();
    await world.remove("validatingadmissionpolicybindings", "b");
    expect(await isRefused(world, configMap("a"))).toBe(false);
  });
});

describe("writing a policy", () => {
  const refused = async (spec: JsonObject) => {
    const { create } = await startHubWorld();
    return (await refusalOf(create(policy(spec))))?.replace(/^.* is invalid: /u, "");
  };

  it("is refused when an expression does not compile or means something else", async () => {
    expect(await refused({ validations: [{ expression: "nope == 1" }] })).toBe(
      'spec.validations[0].expression: Invalid value: "nope == 1": compilation failed: ' +
        "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope == 1\n | ^",
    );
    expect(await refused({ validations: [{ expression: "[1]" }] })).toBe(
      'spec.validations[0].expression: Invalid value: "[1]": must evaluate to bool but got list(int)',
    );
    expect(await refused({ validations: [{ expression: "true", messageExpression: "object.name" }] })).toBe(
      'spec.validations[0].messageExpression: Invalid value: "object.name": must evaluate to string but got dyn',
    );
    expect(await refused({ auditAnnotations: [{ key: "k", valueExpression: "1" }] })).toBe(
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    );
  });

  it("is refused with everything that is wrong", async () => {
    const spec = {
      paramKind: { apiVersion: "a/b/c", kind: "" },
      matchConstraints: { objectSelector: { matchExpressions: [{ key: "a", operator: "Maybe" }] } },
      variables: [
        { name: "in", expression: "1" },
        { name: "later", expression: "variables.more" },
      ],
      validations: [{ expression: " ", message: "two\nlines", reason: "Because" }],
    };
    expect((await refused(spec))?.split(", spec.")).toEqual([
      '[spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "paramKind.kind: Required value",
      'matchConstraints.objectSelector.matchExpressions[0].operator: Invalid value: "Maybe": not a valid selector operator',
      "matchConstraints.resourceRules: Required value",
      'variables[0].name: Invalid value: "in": must be a valid CEL identifier',
      'variables[1].expression: Invalid value: "variables.more": compilation failed: ' +
        "ERROR: <input>:1:10: undefined field 'more'\n | variables.more\n | .........^",
      "validations[0].expression: Required value: expression is not specified",
      'validations[0].message: Invalid value: "two\\nlines": must not contain line breaks',
      'validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"]',
    ]);
  });

  it("checks bindings too", async () => {
    const { create } = await startHubWorld();
    const refusal = async (spec: JsonObject) =>
      (await refusalOf(create(binding(spec))))?.replace(/^.* is invalid: /u, "");
    expect(await refusal({ policyName: "", validationActions: [] })).toBe(
      "[spec.policyName: Required value, spec.validationActions: Required value: at least one validation action is required]",
    );
    expect(await refusal({ validationActions: ["Deny", "Warn"] })).toMatch(/must not contain both Deny and Warn/u);
    expect(await refusal({ paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } })).toBe(
      "[spec.paramRef.name: Forbidden: name and selector are mutually exclusive, " +
        "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive]",
    );
  });
});
