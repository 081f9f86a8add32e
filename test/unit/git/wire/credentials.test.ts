import { describe, expect, it } from "vitest";
import { authorizationFor, readCredentials } from "../../../../src/git/wire/credentials.ts";

describe("authorizationFor", () => {
  const pairOf = (...[host, credentials]: Parameters<typeof authorizationFor>): string => {
    const [scheme, text = ""] = authorizationFor(host, credentials).header.split(" ");
    return `${scheme} ${Buffer.from(text, "base64").toString()}`;
  };

  it.each([
    ["github.com", "x-access-token"],
    ["gitea.io", "x-access-token"],
    ["gitlab.com", "oauth2"],
    ["gitlab.example.org", "oauth2"],
    ["my-gitlab.org", "oauth2"],
    ["code.gitlab-ee.org", "oauth2"],
    ["GitLab", "oauth2"],
    ["mygitlab.org", "x-access-token"],
    ["gitlabs.org", "x-access-token"],
    ["bitbucket.org", "x-token-auth"],
    ["api.Bitbucket.org", "x-token-auth"],
    ["notbitbucket.org", "x-access-token"],
    ["bitbucket.org.evil.example", "x-access-token"],
  ])("has the user name that %s wants with a token: %s", (host, username) => {
    expect(pairOf(host, { kind: "token", secret: "t" })).toBe(`Basic ${username}:t`);
  });

  it("has the user name that is given, and none by default with a password", () => {
    expect(pairOf("github.com", { kind: "token", username: "u", secret: "t" })).toBe("Basic u:t");
    expect(pairOf("github.com", { kind: "basic", username: "ü", secret: "s:1" })).toBe("Basic ü:s:1");
    expect(pairOf("github.com", { kind: "basic", secret: "s" })).toBe("Basic :s");
  });

  it("names what must not show", () => {
    const { secrets } = authorizationFor("h", { kind: "basic", username: "u", secret: "s:1" });
    expect(secrets).toEqual(["s:1"]);
  });
});

it("reads credentials again each time where they have a source", async () => {
  let count = 0;
  const source = async () => ({ kind: "token", secret: `t${++count}` }) as const;
  expect([await readCredentials(source), await readCredentials(source)]).toMatchObject([
    { secret: "t1" },
    { secret: "t2" },
  ]);
  expect(await readCredentials({ kind: "token", secret: "t" })).toEqual({ kind: "token", secret: "t" });
  expect(await readCredentials(undefined)).toBeUndefined();
});
