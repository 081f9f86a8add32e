import { describe, expect, it } from "vitest";
import { isFromElsewhere, isFromPageOf, isOwnRequest } from "../../../../src/web/dashboard/own-request.ts";

const host = "fleet.example.com";
const header = { "x-rollcall-action": "1" };

describe("isFromElsewhere", () => {
  it.each([
    { headers: { "sec-fetch-site": "cross-site" }, isElsewhere: true },
    { headers: { "sec-fetch-site": "same-site" }, isElsewhere: true },
    { headers: { "sec-fetch-site": "same-origin" }, isElsewhere: false },
    { headers: { "sec-fetch-site": "none" }, isElsewhere: false },
    { headers: { origin: "https://evil.example.com" }, isElsewhere: true },
    { headers: { origin: "https://fleet.example.com:8443" }, isElsewhere: true },
    { headers: { origin: "https://fleet.example.com" }, isElsewhere: false },
    { headers: {}, isElsewhere: false },
  ])("is $isElsewhere for $headers", ({ headers, isElsewhere }) => {
    expect(isFromElsewhere({ headers: { host, ...headers } })).toBe(isElsewhere);
  });

  it("A84 takes the origin of a page that hides its own for another one", () => {
    expect(isFromElsewhere({ headers: { host, origin: "null" } })).toBe(true);
  });
});

describe("isOwnRequest", () => {
  it.each([
    { reason: "of the page", headers: { "sec-fetch-site": "same-origin", ...header }, isOwn: true },
    { reason: "of the page in an older browser", headers: { origin: `https://${host}`, ...header }, isOwn: true },
    { reason: "without the header, as a form sends it", headers: { "sec-fetch-site": "same-origin" }, isOwn: false },
    { reason: "of another page", headers: { "sec-fetch-site": "cross-site", ...header }, isOwn: false },
    { reason: "of a sibling site", headers: { "sec-fetch-site": "same-site", ...header }, isOwn: false },
    { reason: "of another origin", headers: { origin: "https://evil.example.com", ...header }, isOwn: false },
    { reason: "that has the cookie alone", headers: {}, isOwn: false },
    { reason: "without an origin", headers: header, isOwn: false },
    { reason: "of no page", headers: { "sec-fetch-site": "none", ...header }, isOwn: false },
  ])("A84 with a cookie: a request $reason is own: $isOwn", ({ headers, isOwn }) => {
    expect(isOwnRequest({ headers: { host, ...headers } }, { isCookie: true })).toBe(isOwn);
  });

  it.each([
    { reason: "of a script", headers: {}, isOwn: true },
    { reason: "of another page", headers: { origin: "https://evil.example.com" }, isOwn: false },
  ])("A84 with a token in its header: a request $reason is own: $isOwn", ({ headers, isOwn }) => {
    expect(isOwnRequest({ headers: { host, ...headers } }, { isCookie: false })).toBe(isOwn);
  });
});

describe("isFromPageOf", () => {
  it.each([
    { user: "ada", shown: "ada", isSame: true },
    { user: "oidc:Zoë/a b", shown: "oidc%3AZo%C3%AB%2Fa%20b", isSame: true },
    { user: "a\u200bb", shown: "a%5Cu%7B200b%7Db", isSame: true },
    { user: "ada", shown: "bob", isSame: false },
    { user: "ada", shown: "1", isSame: false },
    { user: "ada", shown: undefined, isSame: false },
  ])("A87 takes a page that shows $shown for one of $user: $isSame", ({ user, shown, isSame }) => {
    const headers = shown === undefined ? {} : { "x-rollcall-action": shown };
    expect(isFromPageOf(user, { headers })).toBe(isSame);
  });
});
