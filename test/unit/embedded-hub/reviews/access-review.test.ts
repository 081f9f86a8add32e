import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { Authorizer, RequestAttributes } from "../../../../src/embedded-hub/auth/auth.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import {
  reviewLocalAccess,
  reviewSelfAccess,
  reviewSubjectAccess,
} from "../../../../src/embedded-hub/reviews/access-review.ts";
import { reviewSelf } from "../../../../src/embedded-hub/reviews/self-subject-review.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const resourceAttributes = { verb: "get", resource: "pods" };
const user = { username: "me", groups: ["g"] };

function reviewOf(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return {
    ...{ apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec },
    metadata: metadata as unknown as KubeObject["metadata"],
  };
}

/** An authorizer that grants everything, and what it was asked. */
function granting(): { readonly authorizer: Authorizer; readonly asked: RequestAttributes[] } {
  const asked: RequestAttributes[] = [];
  const authorize: Authorizer["authorize"] = (attributes) => {
    asked.push(attributes);
    return { isAllowed: true, reason: "because" };
  };
  return { authorizer: { authorize }, asked };
}

function askedOf(spec: JsonObject): RequestAttributes | undefined {
  const { authorizer, asked } = granting();
  reviewSubjectAccess(reviewOf(spec), authorizer);
  return asked[0];
}

type Review = (review: KubeObject, authorizer: Authorizer) => KubeObject;

const reviews: Readonly<Record<"subject" | "self" | "local", Review>> = {
  subject: reviewSubjectAccess,
  self: (review, authorizer) => reviewSelfAccess(review, user, authorizer),
  local: (review, authorizer) => reviewLocalAccess(review, "shop", authorizer),
};

/** The fields that a review is refused for; nothing when it is answered. */
function faultsOf(kind: keyof typeof reviews, spec: JsonObject, metadata: JsonObject = {}): readonly string[] {
  const { authorizer, asked } = granting();
  try {
    reviews[kind](reviewOf(spec, metadata), authorizer);
    return [];
  } catch (error) {
    if (!isApiFailure(error, "Invalid")) throw error;
    expect(asked).toEqual([]);
    return (error.status.details?.causes ?? []).map(
      ({ field = "", message = "" }) => `${field} ${message.split(":")[0] ?? ""}`,
    );
  }
}

describe("an access review", () => {
  it("asks the authorizer for the subject and the resource that are in it, and for nothing that is empty", () => {
    const attributes = { verb: "get", group: "apps", version: "v1", resource: "deployments", subresource: "scale" };
    const extra = { scopes: ["a", "b"] };
    expect(
      askedOf({
        user: "u",
        groups: ["g"],
        uid: "i",
        extra,
        resourceAttributes: { ...attributes, namespace: "n", name: "x" },
      }),
    ).toStrictEqual({
      ...{ kind: "resource", ...attributes, namespace: "n", name: "x" },
      user: { username: "u", groups: ["g"], uid: "i", extra },
    });
    expect(askedOf({ groups: ["g"], resourceAttributes: { ...resourceAttributes, namespace: "" } })).toStrictEqual({
      ...{ kind: "resource", verb: "get", group: "", version: "", resource: "pods" },
      user: { username: "", groups: ["g"], extra: {} },
    });
  });

  it("asks for a path", () => {
    const subject = { username: "u", groups: [], extra: {} };
    expect(askedOf({ user: "u", nonResourceAttributes: { verb: "get", path: "/x" } })).toStrictEqual({
      ...{ kind: "path", user: subject, verb: "get", path: "/x" },
    });
    expect(askedOf({ user: "u", nonResourceAttributes: {} })).toMatchObject({ verb: "", path: "" });
  });

  it("answers in its status alone", () => {
    const review = reviewOf({ user: "u", resourceAttributes });
    expect(reviewSubjectAccess(review, granting().authorizer)).toEqual({
      ...review,
      status: { allowed: true, reason: "because" },
    });
    const refusing: Authorizer = { authorize: () => ({ isAllowed: false, reason: "" }) };
    expect(reviewSubjectAccess(review, refusing)).toEqual({ ...review, status: { allowed: false } });
  });

  it("names a selector that it cannot read, and asks all the same", () => {
    const labelSelector = { rawSelector: "((" };
    const review = reviewOf({ user: "u", resourceAttributes: { ...resourceAttributes, labelSelector } });
    expect(reviewSubjectAccess(review, granting().authorizer)["status"]).toEqual({
      ...{ allowed: true, reason: "because" },
      evaluationError: "spec.resourceAttributes.labelSelector ignored due to parse error",
    });
  });

  it("of oneself asks for the one who asks, and of a namespace is answered with it", () => {
    const { authorizer, asked } = granting();
    reviewSelfAccess(reviewOf({ resourceAttributes }), user, authorizer);
    expect(asked[0]?.user).toBe(user);
    const spec = { user: "u", resourceAttributes: { ...resourceAttributes, namespace: "shop" } };
    expect(reviewLocalAccess(reviewOf(spec), "shop", authorizer).metadata).toEqual({ namespace: "shop" });
  });

  const both = { resourceAttributes, nonResourceAttributes: { path: "/", verb: "get" } };
  const inShop = { resourceAttributes: { ...resourceAttributes, namespace: "shop" } };
  it.each<readonly [keyof typeof reviews, JsonObject, readonly string[]]>([
    ["self", { resourceAttributes }, []],
    ["self", {}, ["spec.resourceAttributes Invalid value"]],
    ["self", both, ["spec.nonResourceAttributes Invalid value"]],
    ["subject", { user: "u", resourceAttributes }, []],
    ["subject", { groups: ["g"], resourceAttributes }, []],
    ["subject", { user: "", groups: [], resourceAttributes }, ["spec.user Invalid value"]],
    ["subject", {}, ["spec.resourceAttributes Invalid value", "spec.user Invalid value"]],
    ["subject", { user: "u", ...both }, ["spec.nonResourceAttributes Invalid value"]],
    ["local", { user: "u", ...inShop }, []],
    ["local", { ...inShop }, ["spec.user Invalid value"]],
    ["local", { user: "u", resourceAttributes }, ["spec.resourceAttributes.namespace Invalid value"]],
    [
      "local",
      { user: "u", resourceAttributes: { namespace: "other" } },
      ["spec.resourceAttributes.namespace Invalid value"],
    ],
    ["local", { user: "u", nonResourceAttributes: {} }, ["spec.nonResourceAttributes Invalid value"]],
    ["local", { user: "u" }, ["spec.resourceAttributes Invalid value"]],
  ])("of kind %s is valid or not: %j", (kind, spec, faults) => {
    expect(faultsOf(kind, spec)).toEqual(faults);
  });

  it.each<readonly [keyof typeof reviews, JsonObject, readonly string[]]>([
    ["self", { managedFields: [], namespace: "n", name: "" }, []],
    ["self", { name: "a" }, ["metadata Invalid value"]],
    ["subject", { labels: { a: "b" } }, ["metadata Invalid value"]],
    ["local", { namespace: "shop" }, []],
    ["local", { generateName: "a" }, ["metadata Invalid value"]],
  ])("of kind %s has no name and no labels: %j", (kind, metadata, faults) => {
    expect(faultsOf(kind, { user: "u", ...inShop }, metadata)).toEqual(faults);
  });

  const at = (name: string) => `spec.resourceAttributes.${name}`;
  const item = (key: string, operator: string, ...values: readonly string[]) => ({ key, operator, values });
  it.each<readonly [string, JsonObject, readonly string[]]>([
    ["labelSelector", {}, [`${at("labelSelector")}.requirements Required value`]],
    ["labelSelector", { rawSelector: "a=b" }, []],
    ["labelSelector", { requirements: [item("a", "In", "b")] }, []],
    [
      "labelSelector",
      { rawSelector: "a", requirements: [item("a", "Exists")] },
      [`${at("labelSelector")}.rawSelector Invalid value`],
    ],
    [
      "labelSelector",
      { requirements: [item("a", "Like"), item("a b", "In")] },
      [
        `${at("labelSelector")}.requirements[1].values Required value`,
        `${at("labelSelector")}.requirements[1].key Invalid value`,
      ],
    ],
    ["fieldSelector", {}, [`${at("fieldSelector")}.requirements Required value`]],
    ["fieldSelector", { requirements: [item("any field", "In", "any value!")] }, []],
    [
      "fieldSelector",
      { requirements: [item("", "Exists", "b")] },
      [
        `${at("fieldSelector")}.requirements[0].key Required value`,
        `${at("fieldSelector")}.requirements[0].values Forbidden`,
      ],
    ],
    [
      "fieldSelector",
      { requirements: [item("a", "NotIn")] },
      [`${at("fieldSelector")}.requirements[0].values Required value`],
    ],
  ])("has a valid %s or not: %j", (name, selector, faults) => {
    for (const kind of ["self", "subject", "local"] as const) {
      const spec = { user: "u", resourceAttributes: { ...resourceAttributes, namespace: "shop", [name]: selector } };
      expect(faultsOf(kind, spec)).toEqual(faults);
    }
  });
});

it("a SelfSubjectReview has what is known of the one who asks", () => {
  const answer = (more: object) => reviewSelf({ ...user, ...more }, 0)["status"];
  expect(answer({})).toStrictEqual({ userInfo: user });
  const more = { uid: "i", extra: { a: ["b"] } };
  expect(answer(more)).toStrictEqual({ userInfo: { ...user, ...more } });
});
