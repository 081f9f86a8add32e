import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { AccessOptions, Admission, KubeUser } from "../../../../src/web/dashboard/access.ts";
import { openAccess, proxyAccess, tokenAccess } from "../../../../src/web/dashboard/access.ts";
import { startWebServer } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const options: AccessOptions = {
  clock: createManualClock(),
  daemonNamespace: "rollcall-system",
  workspaces: () => ["b", "a", "c"],
  reviewToken: async (username) => ({ username, groups: [] }),
  isAllowed: async (_user, { namespace, resource }) =>
    resource === "clusters" && namespace !== undefined && namespace !== "c",
};

function viewerOf(admission: Admission) {
  if (admission.kind === "refused") throw new Error(admission.why);
  return admission.viewer;
}

describe("what a viewer sees", () => {
  it("is sorted by name, and the same for all who may see the same", async () => {
    const access = tokenAccess(options);
    const [ada, bob] = [viewerOf(await access.admitToken("ada")), viewerOf(await access.admitToken("bob"))];
    expect(ada.workspaces).toEqual(["a", "b"]);
    expect(["a", "b", "c"].map((workspace) => ada.canSee(workspace))).toEqual([true, true, false]);
    expect(ada.sightKey).toBe(bob.sightKey);
  });

  it.each<Partial<Record<"canSeeFleet" | "canSeeRepository", boolean>>>([
    { canSeeFleet: true },
    { canSeeRepository: true },
    { canSeeFleet: true, canSeeRepository: true },
  ])("has another key for each sight: %j", async ({ canSeeFleet = false, canSeeRepository = false }) => {
    const isAllowed: AccessOptions["isAllowed"] = async (user, { namespace, resource, verb }) => {
      if (resource === "repositories") return canSeeRepository && verb === "get" && namespace === "rollcall-system";
      return namespace === undefined ? canSeeFleet : options.isAllowed(user, { namespace, resource, verb });
    };
    const plain = viewerOf(await tokenAccess(options).admitToken("ada"));
    const other = viewerOf(await tokenAccess({ ...options, isAllowed }).admitToken("ada"));
    expect(other.sightKey).not.toBe(plain.sightKey);
    expect(other).toMatchObject({ canSeeFleet, canSeeRepository });
    expect(other.canSee("c")).toBe(canSeeFleet);
  });

  it.each<[string, Partial<KubeUser>]>([
    ["the identifier of its account", { uid: "2" }],
    ["what else the hub knows of its credential", { extra: { scopes: ["none"] } }],
    ["its groups", { groups: ["admins"] }],
  ])("A137 is asked for again where a user of the same name differs in %s", async (_what, other) => {
    const asked: KubeUser[] = [];
    const users: Record<string, KubeUser> = {
      first: { username: "ada", uid: "1", groups: [], extra: {} },
      other: { username: "ada", uid: "1", groups: [], extra: {}, ...other },
    };
    const access = tokenAccess({
      ...options,
      workspaces: () => [],
      reviewToken: async (token) => users[token],
      isAllowed: async (user) => {
        asked.push(user);
        return true;
      },
    });
    for (const token of ["first", "other", "first"]) await access.admitToken(token);
    expect(asked).toEqual([users["first"], users["first"], users["other"], users["other"]]);
  });

  it("is not known after an error of the program, which is logged", async () => {
    const error = new TypeError("of the program");
    await expect(tokenAccess({ ...options, isAllowed: () => Promise.reject(error) }).admitToken("ada")).rejects.toBe(
      error,
    );
  });
});

describe("A40 the groups that a proxy sends", () => {
  it.each<[string | string[] | undefined, string[]]>([
    ["dev, platform", ["dev", "platform"]],
    [" dev ,, ", ["dev"]],
    [
      ["dev", "platform,admins"],
      ["dev", "platform", "admins"],
    ],
    ["", []],
    [undefined, []],
  ])("of %j are %j", async (header, groups) => {
    let seen: readonly string[] | undefined;
    const isAllowed: AccessOptions["isAllowed"] = async (user) => {
      seen = user.groups;
      return true;
    };
    const access = proxyAccess({ ...options, isAllowed }, { user: "X-User", groups: "X-Groups" });
    await access.admit({ headers: { "x-user": "ada", "x-groups": header }, remoteAddress: "::1" });
    expect(seen).toEqual(groups);
  });
});

it("takes the names that a proxy sends for UTF-8, which Node.js reads as Latin-1", async () => {
  let seen: KubeUser | undefined;
  const isAllowed: AccessOptions["isAllowed"] = async (user) => {
    seen = user;
    return true;
  };
  const access = proxyAccess({ ...options, isAllowed }, { user: "X-User", groups: "X-Groups" });
  const server = await startWebServer({
    host: "127.0.0.1",
    port: 0,
    log: silentLog,
    routes: [{ method: "GET", path: "/", answer: async (request) => ({ body: (await access.admit(request)).kind }) }],
  });
  // As Go and nginx pass a name on: byte for byte.
  const bytes = (text: string): string => Buffer.from(text).toString("latin1");
  const headers = { "x-user": bytes("jürgen@example.org"), "x-groups": bytes("Büro Köln,dev") };
  expect(await (await fetch(`http://127.0.0.1:${server.port}/`, { headers })).text()).toBe("viewer");
  await server.close();
  expect(seen).toMatchObject({ username: "jürgen@example.org", groups: ["Büro Köln", "dev"] });
});

describe("signing in by a token", () => {
  it("is not what a proxy in front of the page is for", async () => {
    const access = proxyAccess(options, { user: "X-User", groups: "X-Groups" });
    // An operator finds a header that is not the proxy's by it.
    const why = "The proxy in front of this page did not send your user name in the header X-User.";
    expect(await access.admitToken("ada")).toMatchObject({ kind: "refused", status: 401, why });
  });

  it("A228 is not what a page for this machine only is for", async () => {
    expect(await openAccess(() => ["one"]).admitToken("any")).toMatchObject({ kind: "refused", status: 401 });
  });
});

describe("A227 an account that sends one valid token after the other", () => {
  /** The hub's answers to what users may see wait until the test lets them come; `open`: those that wait, by user. */
  function slowHub(workspaces: readonly string[]) {
    const open: { readonly user: string; readonly end: () => void }[] = [];
    const access = tokenAccess({
      ...options,
      workspaces: () => workspaces,
      // Each token of an account is a credential of its own.
      reviewToken: async (token) => ({ username: token.split("-")[0] ?? "", groups: [], extra: { id: [token] } }),
      isAllowed: ({ username }) =>
        new Promise((resolve) => open.push({ user: username, end: () => resolve(username === "ada") })),
    });
    return { access, open };
  }

  it("leaves the hub and the other viewers their turns, and is refused what is too much", async () => {
    const { access, open } = slowHub(["a", "b"]);
    const flood = Array.from({ length: 60 }, (_, index) => access.admitToken(`eve-${index}`));
    await setImmediate();
    expect(open).toHaveLength(4);
    const ada = access.admitToken("ada-1");
    for (let asked = 0; asked < 20; asked += 1) {
      open.shift()?.end();
      await setImmediate();
      expect(open.length).toBeLessThanOrEqual(4);
    }
    expect(await Promise.race([ada, setImmediate("waits")])).toMatchObject({ kind: "viewer" });
    for (let user = open.shift(); user !== undefined; user = open.shift()) {
      user.end();
      await setImmediate();
    }
    const codes = (await Promise.all(flood)).map((admission) => (admission.kind === "refused" ? admission.code : ""));
    expect(codes.filter((code) => code === "Failed")).toHaveLength(38);
    expect(codes.filter((code) => code === "Forbidden")).toHaveLength(22);
  });
});
