import { describe, expect, it } from "vitest";
import { pageAccess } from "../../../../src/daemon/page/page-access.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

const ada = { username: "ada", groups: ["platform"] };

/** Whom the page admits with a token, by what the hub answers to the reviews of token and access. */
async function admit(token: object, accessOf: (review: KubeObject) => object) {
  const hubApi = {
    create: async (review: KubeObject) => ({
      ...review,
      status: review.kind === "TokenReview" ? token : accessOf(review),
    }),
  } as unknown as KubeApi;
  const settings = readSettings("run", { given: { repo: "https://git.example/fleet" }, environment: {} });
  const options = { host: "0.0.0.0", hubApi, daemonNamespace: "rollcall", workspaces: () => ["one"] };
  const headers = { authorization: "Bearer token" };
  const admission = await pageAccess(settings, options).admit({ headers, remoteAddress: "10.0.0.1" });
  return admission.kind === "refused" ? admission.status : admission.viewer.user;
}

describe("a page that asks the hub who a token is", () => {
  it.each([
    { what: "is of a user", token: { authenticated: true, user: ada }, access: { allowed: true }, who: "ada" },
    { what: "is not authenticated", token: { authenticated: false, user: ada }, access: { allowed: true }, who: 401 },
    { what: "is answered without a result", token: { user: ada }, access: { allowed: true }, who: 401 },
    { what: "is of no user", token: { authenticated: true }, access: { allowed: true }, who: 401 },
    { what: "may see nothing", token: { authenticated: true, user: ada }, access: { allowed: false }, who: 403 },
    { what: "has no answer on its rights", token: { authenticated: true, user: ada }, access: {}, who: 403 },
  ])("A40 answers $who where the token $what", async ({ token, access, who }) => {
    expect(await admit(token, () => access)).toBe(who);
  });

  it("A137 asks for the rights of the token, not for those of its user", async () => {
    const user = { ...ada, uid: "ada-uid", extra: { "scopes.authorization.openshift.io": ["user:info"] } };
    const reviews: unknown[] = [];
    const access = (review: KubeObject): object => {
      reviews.push(review["spec"]);
      return { allowed: objectAt(review, "spec", "extra") === undefined };
    };
    expect(await admit({ authenticated: true, user }, access)).toBe(403);
    const { extra, uid } = user;
    expect(reviews[0]).toMatchObject({ user: "ada", uid, groups: ["platform"], extra });
    expect(await admit({ authenticated: true, user: ada }, access)).toBe("ada");
  });
});
