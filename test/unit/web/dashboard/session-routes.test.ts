import { describe, expect, it } from "vitest";
import type { Access, Viewer } from "../../../../src/web/dashboard/access.ts";
import { openAccess } from "../../../../src/web/dashboard/access.ts";
import { sessionRoutes } from "../../../../src/web/dashboard/session-routes.ts";
import type { WebAnswer, WebRequest } from "../../../../src/web/web.ts";

const ada: Viewer = {
  user: "ada",
  canSeeFleet: false,
  canSeeRepository: true,
  workspaces: ["one"],
  canSee: (workspace) => workspace === "one",
  sightKey: "one",
};
const refused = { kind: "refused", status: 401, code: "SignIn", why: "No token of this hub." } as const;

/** The hub knows the tokens of `known`. */
function accessOf(known: readonly string[]): Access {
  const admitToken: Access["admitToken"] = async (token) =>
    known.includes(token) ? { kind: "viewer", viewer: ada } : refused;
  return { mode: "Token", admitToken, admit: ({ headers }) => admitToken(headers.authorization ?? "") };
}

interface Sent {
  readonly headers?: WebRequest["headers"];
  readonly body?: string;
  readonly access?: Access;
  readonly hasActions?: boolean;
}

async function ask(
  method: "GET" | "POST" | "DELETE",
  { headers = {}, body = "", access = accessOf(["ada-token"]), hasActions = false }: Sent,
): Promise<WebAnswer> {
  const route = sessionRoutes({ access, hasActions }).find((candidate) => candidate.method === method);
  const answer = await route?.answer({
    path: "/api/v1/session",
    query: new URLSearchParams(),
    headers: { host: "fleet.example", ...headers },
    remoteAddress: "10.0.0.1",
    readBody: async () => new TextEncoder().encode(body),
  });
  if (answer === undefined || "start" in answer) throw new Error("no answer");
  return answer;
}

const elsewhere = { "sec-fetch-site": "cross-site" };
const session = { access: "Token", user: "ada", canSeeFleet: false, canSeeRepository: true, workspaces: ["one"] };

function cookieOf({ headers }: WebAnswer): string | undefined {
  return headers?.["set-cookie"];
}

describe("the session of the page", () => {
  it("is what its viewer may see", async () => {
    const answer = await ask("GET", { headers: { authorization: "ada-token" } });
    expect(JSON.parse(String(answer.body))).toStrictEqual(session);
    expect(cookieOf(answer)).toBeUndefined();
  });

  it("has that the page offers actions, and no user where the page has none", async () => {
    const access = openAccess(() => ["one", "two"]);
    const answer = await ask("GET", { headers: { host: "localhost" }, access, hasActions: true });
    expect(JSON.parse(String(answer.body))).toStrictEqual({
      access: "Open",
      canSeeFleet: true,
      canSeeRepository: true,
      workspaces: ["one", "two"],
      hasActions: true,
    });
  });

  it("is refused without a credential", async () => {
    expect(await ask("GET", {})).toMatchObject({ status: 401 });
  });
});

describe("signing in", () => {
  it.each(["ada-token", " ada-token\n"])("keeps the token in a cookie that no script reads: %j", async (token) => {
    const answer = await ask("POST", { body: JSON.stringify({ token }) });
    expect(answer.status ?? 200).toBe(200);
    expect(JSON.parse(String(answer.body))).toEqual(session);
    expect(cookieOf(answer)).toBe("rollcall-token=ada-token; Path=/; HttpOnly; SameSite=Strict");
  });

  it("sets no cookie for a token that the hub does not accept", async () => {
    const answer = await ask("POST", { body: '{"token":"eve-token"}' });
    expect([answer.status, cookieOf(answer)]).toEqual([401, undefined]);
  });

  it.each([
    "",
    "null",
    "[]",
    "{}",
    '{"token":7}',
    '{"token":""}',
    ...["ada-token; Domain=example", "a b", "ada\r\nset-cookie: a=b", 'ada"', "ä", "; ada", "ada-token;"].map((token) =>
      JSON.stringify({ token }),
    ),
  ])("A93 takes nothing for a token that would add to the cookie, and no other JSON: %s", async (body) => {
    const access: Access = { ...accessOf([]), admitToken: async () => ({ kind: "viewer", viewer: ada }) };
    const answer = await ask("POST", { body, access });
    expect([answer.status, cookieOf(answer)]).toEqual([400, undefined]);
  });

  it("takes a token that fits a cookie, and names the limit for a longer one", async () => {
    const fits = "t".repeat(3800);
    const access = accessOf([fits, `${fits}t`]);
    expect(cookieOf(await ask("POST", { body: JSON.stringify({ token: fits }), access }))).toContain(fits);
    const answer = await ask("POST", { body: JSON.stringify({ token: `${fits}t` }), access });
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining("3801 characters") as string });
    expect(cookieOf(answer)).toBeUndefined();
  });

  it("A40 is refused to another page, before its token is tried", async () => {
    const answer = await ask("POST", { headers: elsewhere, body: '{"token":"ada-token"}' });
    expect([answer.status, cookieOf(answer)]).toEqual([403, undefined]);
  });

  it("A228 shows a page whose name was pointed at this machine no workspace, and sets no cookie", async () => {
    const headers = { host: "evil.example:8080", origin: "http://evil.example:8080", "sec-fetch-site": "same-origin" };
    const answer = await ask("POST", { headers, body: '{"token":"any"}', access: openAccess(() => ["one"]) });
    expect([answer.status, cookieOf(answer)]).toEqual([401, undefined]);
    expect(String(answer.body)).not.toContain('one"');
  });
});

describe("signing out", () => {
  it("removes the cookie", async () => {
    const answer = await ask("DELETE", {});
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(cookieOf(answer)).toBe("rollcall-token=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
  });

  it("A40 is refused to another page", async () => {
    const answer = await ask("DELETE", { headers: elsewhere });
    expect([answer.status, cookieOf(answer)]).toEqual([403, undefined]);
  });
});
