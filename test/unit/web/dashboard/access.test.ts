import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { Admission, KubeUser, SeenResource } from "../../../../src/web/dashboard/access.ts";
import { isLoopbackAddress, openAccess, proxyAccess, tokenAccess } from "../../../../src/web/dashboard/access.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const users: Readonly<Record<string, KubeUser>> = {
  "ada-token": { username: "ada", groups: ["platform"] },
  "bob-token": { username: "bob", groups: [] },
  "eve-token": { username: "eve", groups: [] },
  "ada-narrow": { username: "ada", groups: ["platform"], extra: { scopes: ["none"] } },
};

/** Ada sees the fleet by her group; Bob workspace `one`; Eve nothing. */
function rules(user: KubeUser, { namespace }: SeenResource): boolean {
  if (user.extra !== undefined) return false;
  return user.groups.includes("platform") || (user.username === "bob" && namespace === "one");
}

function makeAccess() {
  const asked: string[] = [];
  const state = { isHubAway: false, isTokenEnded: false, isRightTaken: false };
  const clock = createManualClock();
  const access = tokenAccess({
    clock,
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one", "two"],
    reviewToken: async (token) => {
      asked.push(token);
      if (state.isHubAway) throw new AppError("E_KUBE_UNREACHABLE", "review a token: no answer");
      return state.isTokenEnded ? undefined : users[token];
    },
    isAllowed: async (user, resource) => !state.isRightTaken && rules(user, resource),
  });
  return { access, asked, clock, state };
}

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` }, remoteAddress: "10.0.0.1" };
}

function sightOf(admission: Admission): unknown {
  if (admission.kind === "refused") return admission.status;
  const { user, canSeeFleet, canSeeRepository, workspaces } = admission.viewer;
  return { user, canSeeFleet, canSeeRepository, workspaces };
}

describe("tokenAccess", () => {
  it("shows each what the hub lets them list", async () => {
    const { access } = makeAccess();
    expect(sightOf(await access.admit(bearer("ada-token")))).toEqual({
      user: "ada",
      canSeeFleet: true,
      canSeeRepository: true,
      workspaces: ["one", "two"],
    });
    expect(sightOf(await access.admit(bearer("bob-token")))).toEqual({
      user: "bob",
      canSeeFleet: false,
      canSeeRepository: false,
      workspaces: ["one"],
    });
    expect(sightOf(await access.admit(bearer("eve-token")))).toBe(403);
  });

  it("names in each refusal of a viewer that another token may be accepted, and in none that the hub may take back", async () => {
    const { access, state } = makeAccess();
    for (const request of [bearer("eve-token"), bearer("unknown"), { headers: {}, remoteAddress: "10.0.0.1" }])
      expect(await access.admit(request)).toMatchObject({ kind: "refused", takesToken: true });
    state.isHubAway = true;
    expect(await access.admit(bearer("another"))).not.toHaveProperty("takesToken");
  });

  it("A137 shows a token of a user no more than its scopes allow, after another token of the same user", async () => {
    const { access } = makeAccess();
    expect(sightOf(await access.admit(bearer("ada-token")))).toMatchObject({ user: "ada", canSeeFleet: true });
    expect(sightOf(await access.admit(bearer("ada-narrow")))).toBe(403);
  });

  it("takes a header with several spaces, and in any letters", async () => {
    const headers = { authorization: "bearer   ada-token" };
    expect(sightOf(await makeAccess().access.admit({ headers, remoteAddress: undefined }))).toMatchObject({
      user: "ada",
    });
  });

  it("takes the cookie of a sign-in as well", async () => {
    const { access } = makeAccess();
    const admission = await access.admit({
      headers: { cookie: "a=b; rollcall-token=ada-token" },
      remoteAddress: undefined,
    });
    expect(sightOf(admission)).toMatchObject({ user: "ada" });
  });

  it.each([
    { reason: "there is no token", headers: {} },
    { reason: "the token is wrong", headers: { authorization: "Bearer wrong" } },
    { reason: "the header is none", headers: { authorization: "Basic YTpi" } },
    { reason: "a header names who it is", headers: { "x-forwarded-user": "ada" } },
    { reason: "the cookie is empty", headers: { cookie: "rollcall-token=" } },
    { reason: "the header has more than a token", headers: { authorization: "Bearer ada-token, Basic YTpi" } },
    { reason: "the header has text before it", headers: { authorization: "Basic Bearer ada-token" } },
    { reason: "the token is long", headers: { authorization: `Bearer ${"a".repeat(8193)}` } },
  ])("asks to sign in when $reason", async ({ headers }) => {
    expect(sightOf(await makeAccess().access.admit({ headers, remoteAddress: "127.0.0.1" }))).toBe(401);
  });

  it("asks the hub once in a while, and again when some time has passed", async () => {
    const { access, asked, clock } = makeAccess();
    await Promise.all([access.admit(bearer("ada-token")), access.admit(bearer("ada-token"))]);
    expect(asked).toHaveLength(1);
    await clock.advance(16_000);
    await access.admit(bearer("ada-token"));
    expect(asked).toHaveLength(2);
  });

  it.each([
    { what: "token that the hub does not accept any more", change: { isTokenEnded: true }, status: 401 },
    { what: "right that was taken away", change: { isRightTaken: true }, status: 403 },
  ])("honours no $what for longer than 15 seconds", async ({ change, status }) => {
    const { access, asked, clock, state } = makeAccess();
    // The answer to a token that was accepted before is remembered in another place.
    for (let count = 0; count < 3; count++) await access.admit(bearer("ada-token"));
    expect(asked).toHaveLength(2);
    Object.assign(state, change);
    await clock.advance(14_999);
    expect(sightOf(await access.admit(bearer("ada-token")))).toMatchObject({ user: "ada" });
    await clock.advance(1);
    expect(sightOf(await access.admit(bearer("ada-token")))).toBe(status);
  });

  it("admits no viewer while the hub is away, and does not remember it", async () => {
    const { access, state } = makeAccess();
    state.isHubAway = true;
    expect(sightOf(await access.admit(bearer("ada-token")))).toBe(503);
    state.isHubAway = false;
    expect(sightOf(await access.admit(bearer("ada-token")))).toMatchObject({ user: "ada" });
  });
});

describe("proxyAccess", () => {
  const options = {
    clock: createManualClock(),
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one", "two"],
    isAllowed: async (user: KubeUser, resource: SeenResource) => rules(user, resource),
  };
  const access = proxyAccess(options, { user: "X-Forwarded-User", groups: "X-Forwarded-Groups" });

  it("believes the proxy beside it", async () => {
    const headers = { "x-forwarded-user": "ada", "x-forwarded-groups": "dev, platform" };
    expect(sightOf(await access.admit({ headers, remoteAddress: "::ffff:127.0.0.1" }))).toMatchObject({
      canSeeFleet: true,
    });
  });

  it.each([
    { reason: "comes from another machine", headers: { "x-forwarded-user": "ada" }, remoteAddress: "10.0.0.9" },
    { reason: "names no user", headers: {}, remoteAddress: "127.0.0.1" },
    { reason: "has an empty name", headers: { "x-forwarded-user": "" }, remoteAddress: "127.0.0.1" },
    { reason: "has no address", headers: { "x-forwarded-user": "ada" }, remoteAddress: undefined },
    { reason: "brings a token instead", headers: { authorization: "Bearer ada-token" }, remoteAddress: "127.0.0.1" },
  ])("A40 refuses what $reason", async ({ headers, remoteAddress }) => {
    expect(sightOf(await access.admit({ headers, remoteAddress }))).toBe(401);
  });
});

describe("isLoopbackAddress", () => {
  it.each(["127.0.0.1", "127.100.200.255", "::1", "::ffff:127.0.0.1", "::ffff:127.100.200.255"])(
    "A40 is true for %s",
    (address) => expect(isLoopbackAddress(address)).toBe(true),
  );

  it.each([
    "10.127.0.0.1",
    "127.0.0.1.9",
    "127.0.0",
    "::12",
    "a::1",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1.1",
    undefined,
  ])("A40 is false for %s", (address) => expect(isLoopbackAddress(address)).toBe(false));
});

describe("a viewer whose groups are others than a moment ago", () => {
  it("A40 sees what the groups of this request let them see", async () => {
    const access = proxyAccess(
      {
        clock: createManualClock(),
        daemonNamespace: "rollcall-system",
        workspaces: () => ["one", "two"],
        isAllowed: async (user, resource) => rules(user, resource),
      },
      { user: "x-user", groups: "x-groups" },
    );
    const sightBy = async (groups: string) =>
      sightOf(await access.admit({ headers: { "x-user": "ada", "x-groups": groups }, remoteAddress: "127.0.0.1" }));
    expect(await sightBy("platform")).toMatchObject({ canSeeFleet: true });
    expect(await sightBy("")).toBe(403);
    expect(await sightBy("platform")).toMatchObject({ canSeeFleet: true });
  });
});

describe("openAccess", () => {
  const access = openAccess(() => ["one"]);

  it.each(["localhost:8080", "127.0.0.1:8080", "127.100.200.255", "[::1]:8080", "fleet.localhost"])(
    "A40 answers to %s without a sign-in on this machine",
    async (host) => {
      expect(sightOf(await access.admit({ headers: { host }, remoteAddress: "127.0.0.1" }))).toMatchObject({
        canSeeFleet: true,
      });
    },
  );

  it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a.127.0.0.1", undefined])(
    "A40 refuses the name %s, which an attacker may have pointed at this machine",
    async (host) => {
      expect(sightOf(await access.admit({ headers: { host }, remoteAddress: "127.0.0.1" }))).toBe(403);
    },
  );
});

describe("A73 a client that sends token after token", () => {
  it("has four of them reviewed at a time, a hundred wait, and the others are refused", async () => {
    let running = 0;
    let most = 0;
    let answer = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const access = tokenAccess({
      clock: createManualClock(),
      daemonNamespace: "rollcall-system",
      workspaces: () => [],
      reviewToken: async () => {
        running += 1;
        most = Math.max(most, running);
        await open;
        running -= 1;
        return undefined;
      },
      isAllowed: async () => false,
    });
    const all = Array.from({ length: 200 }, (_, index) => access.admit(bearer(`t${index}`)));
    expect(sightOf(await access.admit(bearer("late")))).toBe(503);
    expect(running).toBe(4);
    answer();
    const statuses = (await Promise.all(all)).map(sightOf);
    expect(statuses.filter((status) => status === 401)).toHaveLength(104);
    expect(statuses.filter((status) => status === 503)).toHaveLength(96);
    expect(most).toBe(4);
    expect(sightOf(await access.admit(bearer("late")))).toBe(401);
  });
});
