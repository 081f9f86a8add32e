import { describe, expect, it } from "vitest";
import { tokenAccess } from "../../../../src/web/dashboard/access.ts";
import { readTokenCookie, tokenCookie } from "../../../../src/web/dashboard/token-cookie.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const https = { "x-forwarded-proto": "https" };

describe("tokenCookie", () => {
  it("A93 has, by https, a name that no other host, path or plain http can set", () => {
    const [pair, ...attributes] = tokenCookie({ headers: https }, "ada-token").split("; ");
    expect(pair).toBe("__Host-rollcall-token=ada-token");
    // What browsers ask of the prefix: Secure, Path=/ and no Domain.
    expect(attributes).toEqual(["Path=/", "HttpOnly", "SameSite=Strict", "Secure"]);
  });

  it("is removed under the name that it was set by", () => {
    expect(tokenCookie({ headers: https }, "")).toMatch(/^__Host-rollcall-token=; .*Max-Age=0$/u);
    expect(tokenCookie({ headers: {} }, "")).toBe("rollcall-token=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
  });
});

describe("readTokenCookie", () => {
  it.each([
    ["by https", { ...https, cookie: "__Host-rollcall-token=ada-token; a=b" }],
    ["by http", { cookie: "a=b; rollcall-token=ada-token" }],
  ])("reads what was set %s", (_how, headers) => {
    expect(readTokenCookie({ headers })).toEqual({ token: "ada-token", isForeign: false });
  });

  it("A93 reads no cookie without the prefix by https: a sibling of the domain can set one", () => {
    const headers = { ...https, cookie: "rollcall-token=eve-token; __Host-rollcall-token=ada-token" };
    expect(readTokenCookie({ headers })).toEqual({ token: "ada-token", isForeign: false });
    expect(readTokenCookie({ headers: { ...https, cookie: "rollcall-token=eve-token" } })).toBeUndefined();
  });

  it.each([
    "rollcall-token=eve-token; rollcall-token=ada-token",
    "rollcall-token=ada-token;rollcall-token=eve-token",
    "rollcall-token=; rollcall-token=eve-token",
  ])("A93 believes none of two: %s", (cookie) => {
    expect(readTokenCookie({ headers: { cookie } })).toEqual({ isForeign: true });
  });
});

describe("the page of a viewer who is signed in", () => {
  const access = tokenAccess({
    clock: createManualClock(),
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one"],
    reviewToken: async (token) => ({ username: token, groups: [] }),
    isAllowed: async () => true,
  });
  const userOf = async (cookie: string) => {
    const admission = await access.admit({ headers: { cookie }, remoteAddress: undefined });
    return admission.kind === "viewer" ? admission.viewer.user : admission.why;
  };

  it("A93 does not become another one's by a cookie that another port of the host set", async () => {
    expect(await userOf("rollcall-token=ada")).toBe("ada");
    // Browsers send the cookie of the longer path first: eve's, for /api.
    expect(await userOf("rollcall-token=eve; rollcall-token=ada")).toMatch(/^Another page of this host set a cookie/u);
  });
});
