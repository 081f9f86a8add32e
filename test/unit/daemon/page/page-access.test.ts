import { describe, expect, it } from "vitest";
import { pageAccess, readPageAccess, readPageActions } from "../../../../src/daemon/page/page-access.ts";
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

describe("the mode of the page", () => {
  const settingsOf = (given: Readonly<Record<string, string | boolean>>) =>
    readSettings("run", { given: { repo: "https://git.example/fleet", ...given }, environment: {} });

  it.each([
    ["Token", "0.0.0.0"],
    ["Token", "127.0.0.1"],
    ["Open", "127.0.0.1"],
    ["Open", "::1"],
    ["Proxy", "localhost"],
  ])("%s fits the address %s", (mode, host) => {
    expect(readPageAccess(settingsOf({ "page-access": mode }), host)).toBe(mode);
  });

  it.each([
    ["Open", "0.0.0.0"],
    ["Proxy", "10.0.0.7"],
    ["Open", "localhost.example.com"],
  ])("%s is refused at the address %s, which others reach", (mode, host) => {
    expect(() => readPageAccess(settingsOf({ "page-access": mode }), host)).toThrow(
      expect.objectContaining({ code: "E_USAGE" }),
    );
  });

  it.each([
    [{ "page-access": "Open" }, false],
    [{ "page-access": "Token" }, false],
    [{ "page-access": "Token", "page-actions": true }, true],
  ])("has actions with %j: %s", (given, expected) => {
    expect(readPageActions(settingsOf(given))).toBe(expected);
  });

  it.each(["Open", "Proxy"])("has no actions with %s, which has no token of the viewer", (mode) => {
    expect(() => readPageActions(settingsOf({ "page-access": mode, "page-actions": true }))).toThrow(
      expect.objectContaining({ code: "E_USAGE" }),
    );
  });

  const accessOf = (given: Readonly<Record<string, string>>, hubApi = {}) =>
    pageAccess(settingsOf(given), {
      host: "127.0.0.1",
      hubApi: hubApi as KubeApi,
      daemonNamespace: "rollcall",
      workspaces: () => ["one"],
    });

  it("shows everything to this machine with Open", async () => {
    const access = accessOf({ "page-access": "Open" });
    const admission = await access.admit({ headers: { host: "localhost" }, remoteAddress: "127.0.0.1" });
    expect(admission).toMatchObject({ kind: "viewer", viewer: { canSeeFleet: true, workspaces: ["one"] } });
    expect(access.mode).toBe("Open");
  });

  it("shows a user of the proxy what the hub lets them see, by the headers that options name", async () => {
    const reviews: unknown[] = [];
    const create = async (review: KubeObject) => {
      reviews.push(review["spec"]);
      return {
        ...review,
        status: { allowed: objectAt(review, "spec", "resourceAttributes", "namespace") === undefined },
      };
    };
    const given = { "page-access": "Proxy", "page-user-header": "x-who", "page-groups-header": "x-teams" };
    const headers = { "x-who": "ada", "x-teams": "platform" };
    const admission = await accessOf(given, { create }).admit({ headers, remoteAddress: "127.0.0.1" });
    expect(admission).toMatchObject({ kind: "viewer", viewer: { user: "ada", canSeeFleet: true } });
    expect(reviews).toContainEqual({
      user: "ada",
      groups: ["platform"],
      resourceAttributes: { group: "rollcall.dev", resource: "clusters", verb: "list" },
    });
    const places = reviews.map((review) => objectAt(review, "resourceAttributes")?.["namespace"]);
    expect(places).toContain("rollcall");
  });
});
