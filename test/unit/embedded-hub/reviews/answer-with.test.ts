import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { OperationContext } from "../../../../src/embedded-hub/operations/operations.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { AnswerScope } from "../../../../src/embedded-hub/reviews/answer-with.ts";
import { answerWith } from "../../../../src/embedded-hub/reviews/answer-with.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const group = "admissionregistration.k8s.io/v1";
const subresources = ["serviceaccounts/token", "pods/binding", "bindings", "pods/eviction"];

/** A hub with a Pod, an account, and a policy about what is posted to them. */
async function startWith(validation: JsonObject): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.create({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "shop" } },
    spec: { containers: [{ name: "main", image: "none" }] },
  });
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: subresources };
  await world.create({
    ...{ apiVersion: group, kind: "ValidatingAdmissionPolicy", metadata: { name: "p" } },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [validation] },
  });
  await world.create({
    ...{ apiVersion: group, kind: "ValidatingAdmissionPolicyBinding", metadata: { name: "b" } },
    spec: { policyName: "p", validationActions: ["Deny"] },
  });
  return world;
}

const posts = [
  {
    to: "serviceaccounts/token",
    name: "default",
    object: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
  },
  { to: "pods/binding", name: "a", object: { apiVersion: "v1", kind: "Binding", target: { name: "n" } } },
  { to: "bindings", name: "a", object: { apiVersion: "v1", kind: "Binding", target: { name: "n" } } },
  { to: "pods/eviction", name: "a", object: { apiVersion: "policy/v1", kind: "Eviction" } },
] as const;

function post({ operations }: HubWorld, { to, name, object }: (typeof posts)[number]): Promise<unknown> {
  const [plural = "", subresource] = to.split("/");
  const definition = operations.definitionOf("", plural);
  if (definition === undefined) throw new Error(`${plural} are not served`);
  const target = { definition, namespace: "shop", ...(subresource === undefined ? {} : { name, subresource }) };
  return operations.create(contextOf(administrator), target, { ...object, metadata: { name } });
}

describe("A82 an admission policy", () => {
  it.each(posts)("refuses what is posted to $to", async (what) => {
    const world = await startWith({ expression: "request.operation != 'CREATE'", message: "not here" });
    expect(await refusalOf(post(world, what))).toContain("denied request: not here");
    expect(world.get("pods", "a")).toMatchObject({ spec: expect.not.objectContaining({ nodeName: "n" }) as object });
  });

  it.each(posts)("sees once, with its own kind, what is posted to $to", async (what) => {
    const expression = `request.kind.kind == '${what.object.kind}' && object.kind == request.kind.kind`;
    const world = await startWith({ expression });
    expect(await refusalOf(post(world, what))).toBeUndefined();
  });
});

const tokenRequest = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const accessReview = { group: "authorization.k8s.io", version: "v1", kind: "SelfSubjectAccessReview" };
const selfReview = { group: "authentication.k8s.io", version: "v1", kind: "SelfSubjectReview" };
const eviction = { group: "policy", version: "v1", kind: "Eviction", olderVersions: ["v1beta1"] };
const binding = { group: "", version: "v1", kind: "Binding" };

interface Sent {
  readonly type: AnswerScope["type"];
  readonly body: JsonObject;
  readonly subresource?: string;
  readonly context?: Partial<OperationContext>;
  /** Default: the decoded body itself. */
  readonly answered?: KubeObject;
}

/** What a body that is sent is answered with when the answer is the body. */
async function answerOf({ type, body, subresource, context = {}, answered }: Sent): Promise<KubeObject> {
  const definition = builtInResources().find(({ plural }) => plural === "serviceaccounts");
  if (definition === undefined) throw new Error("ServiceAccounts are not served");
  const target = { definition, namespace: "shop", ...(subresource === undefined ? {} : { name: "a", subresource }) };
  const answer = answerWith({ type, clock: createManualClock() })(({ object }) => answered ?? object);
  return answer({ ...contextOf(administrator), ...context }, target, {
    metadata: {},
    ...body,
  } as unknown as KubeObject);
}

describe("an answer", () => {
  // The messages are those of kube-apiserver 1.34.4.
  it.each<readonly [AnswerScope["type"], string, string, string]>([
    [
      ...([accessReview, "v1", "Pod"] as const),
      'Pod in version "v1" cannot be handled as a SelfSubjectAccessReview: converting (v1.Pod) to (authorization.SelfSubjectAccessReview): unknown conversion',
    ],
    [
      ...([accessReview, "apps/v1", "Deployment"] as const),
      'Deployment in version "v1" cannot be handled as a SelfSubjectAccessReview: converting (v1.Deployment) to (authorization.SelfSubjectAccessReview): unknown conversion',
    ],
    [
      ...([accessReview, "authorization.k8s.io/v2", "SelfSubjectAccessReview"] as const),
      'SelfSubjectAccessReview in version "v2" cannot be handled as a SelfSubjectAccessReview: no kind "SelfSubjectAccessReview" is registered for version "authorization.k8s.io/v2" in scheme "pkg/runtime/scheme.go:110"',
    ],
    [
      ...([accessReview, "authorization.k8s.io/v1beta1", "SelfSubjectAccessReview"] as const),
      "the API version in the data (authorization.k8s.io/v1beta1) does not match the expected API version (authorization.k8s.io/v1)",
    ],
    [
      ...([binding, "v1", "Pod"] as const),
      'Pod in version "v1" cannot be handled as a Binding: converting (v1.Pod) to (core.Binding): unknown conversion',
    ],
  ])("refuses a body of another kind than %j: %s %s", async (type, apiVersion, kind, message) => {
    await expect(answerOf({ type, body: { apiVersion, kind } })).rejects.toThrow(message);
  });

  it("takes an Eviction of the version before, and no other", async () => {
    const { apiVersion } = await answerOf({ type: eviction, body: { apiVersion: "policy/v1beta1", kind: "Eviction" } });
    expect(apiVersion).toBe("policy/v1");
    await expect(
      answerOf({ type: eviction, body: { apiVersion: "policy/v1alpha1", kind: "Eviction" } }),
    ).rejects.toThrow('Eviction in version "v1alpha1" cannot be handled as a Eviction');
  });

  const odd = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { odd: 1 } };
  const unknown = 'unknown field "spec.odd"';
  it("refuses an unknown field, warns of it or leaves it out, as the request asks", async () => {
    const refusal = `SelfSubjectAccessReview in version "v1" cannot be handled as a SelfSubjectAccessReview: strict decoding error: ${unknown}`;
    await expect(answerOf({ type: accessReview, body: odd })).rejects.toThrow(refusal);
    for (const [fieldValidation, expected] of [
      ["Warn", [unknown]],
      ["Ignore", []],
    ] as const) {
      const warnings: string[] = [];
      const answered = await answerOf({ type: accessReview, body: odd, context: { fieldValidation, warnings } });
      expect([answered["spec"], warnings]).toEqual([{}, expected]);
    }
  });

  it("refuses a field of another type", async () => {
    const body = { ...odd, spec: { resourceAttributes: { verb: 1 } } };
    const refused = answerOf({ type: accessReview, body });
    await expect(refused).rejects.toThrow(
      'SelfSubjectAccessReview in version "v1" cannot be handled as a SelfSubjectAccessReview: ',
    );
    await expect(refused).rejects.toSatisfy((error) => isApiFailure(error, "BadRequest"));
  });

  it("has the namespace of the request, and manages what was sent, as of its subresource", async () => {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } };
    const { metadata } = await answerOf({ type: tokenRequest, body, subresource: "token" });
    expect(metadata).toMatchObject({
      namespace: "shop",
      managedFields: [
        {
          ...{ manager: "test", operation: "Update", subresource: "token", apiVersion: "authentication.k8s.io/v1" },
          fieldsV1: { "f:spec": { "f:expirationSeconds": {} } },
        },
      ],
    });
    const whole = await answerOf({ type: tokenRequest, body });
    expect(whole.metadata.managedFields?.map((entry) => Object.hasOwn(entry, "subresource"))).toEqual([false]);
    await expect(answerOf({ type: tokenRequest, body: { ...body, metadata: { namespace: "other" } } })).rejects.toThrow(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  });

  it("that is a new object or a Status manages nothing", async () => {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    expect((await answerOf({ type: selfReview, body })).metadata.managedFields).toBeUndefined();
    const answered = { apiVersion: "v1", kind: "Status", metadata: { name: "" } };
    const request = { apiVersion: "v1", kind: "Binding", target: { name: "n" } };
    expect(await answerOf({ type: binding, body: request, answered })).toEqual(answered);
  });
});
