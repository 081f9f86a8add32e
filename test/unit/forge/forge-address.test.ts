import { describe, expect, it } from "vitest";
import { findForge, repositoryPath } from "../../../src/forge/forge-address.ts";
import type { AddressOptions } from "../../../src/forge/forge-address.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { createManualClock } from "../../support/manual-clock.ts";

describe("findForge", () => {
  it.each<AddressOptions & { expected: string }>([
    {
      provider: "GitHub",
      repositoryUrl: "https://github.com/acme/fleet.git",
      expected: "https://api.github.com acme/fleet",
    },
    {
      provider: "GitHub",
      repositoryUrl: "git@github.com:acme/fleet.git",
      expected: "https://api.github.com acme/fleet",
    },
    {
      provider: "GitHub",
      repositoryUrl: "ssh://git@ssh.github.com:443/acme/fleet.git",
      expected: "https://api.github.com acme/fleet",
    },
    {
      provider: "GitHub",
      repositoryUrl: "git@SSH.GitHub.com:acme/fleet.git",
      expected: "https://api.github.com acme/fleet",
    },
    {
      provider: "GitLab",
      repositoryUrl: "ssh://git@altssh.gitlab.com:443/group/fleet.git",
      expected: "https://gitlab.com/api/v4 group/fleet",
    },
    {
      provider: "GitHub",
      repositoryUrl: "https://git.example.com/acme/fleet/",
      expected: "https://git.example.com/api/v3 acme/fleet",
    },
    {
      provider: "GitLab",
      repositoryUrl: "https://gitlab.com/group/sub/fleet.git",
      expected: "https://gitlab.com/api/v4 group/sub/fleet",
    },
    {
      provider: "Gitea",
      repositoryUrl: "ssh://git@git.example.com:2222/acme/fleet.git",
      expected: "https://git.example.com/api/v1 acme/fleet",
    },
    {
      provider: "Forgejo",
      repositoryUrl: "https://git.example.com:8443/acme/fleet",
      expected: "https://git.example.com:8443/api/v1 acme/fleet",
    },
    {
      provider: "Gitea",
      repositoryUrl: "https://example.com/git/acme/fleet",
      apiUrl: "https://example.com/git/api/v1/",
      expected: "https://example.com/git/api/v1 acme/fleet",
    },
    {
      provider: "GitLab",
      repositoryUrl: "https://git.example.com/a/b",
      apiUrl: "https://api.example.com/v4",
      expected: "https://api.example.com/v4 a/b",
    },
    {
      provider: "Gitea",
      repositoryUrl: "http://127.0.0.1:3000/acme/fleet",
      expected: "http://127.0.0.1:3000/api/v1 acme/fleet",
    },
    {
      provider: "Gitea",
      repositoryUrl: "http://git.lan/acme/fleet",
      isHttpAllowed: true,
      expected: "http://git.lan/api/v1 acme/fleet",
    },
    {
      provider: "Gitea",
      repositoryUrl: "https://git.lan/acme/fleet",
      apiUrl: "http://git.lan/api/v1",
      isHttpAllowed: true,
      expected: "http://git.lan/api/v1 acme/fleet",
    },
    ...["localhost", "[::1]", "127.100.20.255"].map((host) => ({
      provider: "GitHub" as const,
      repositoryUrl: `http://${host}:3000/acme/fleet`,
      apiUrl: `http://${host}:3000/api/v3`,
      expected: `http://${host}:3000/api/v3 acme/fleet`,
    })),
    {
      provider: "GitHub",
      repositoryUrl: "https://www.github.com/acme/fleet",
      expected: "https://api.github.com acme/fleet",
    },
    {
      provider: "GitHub",
      repositoryUrl: "https://github.com.example.com/acme/fleet",
      expected: "https://github.com.example.com/api/v3 acme/fleet",
    },
    {
      provider: "Gitea",
      repositoryUrl: "https://github.com/acme/fleet",
      expected: "https://github.com/api/v1 acme/fleet",
    },
    {
      provider: "GitHub",
      repositoryUrl: "https://git.example.com/.acme/fleet.github.",
      expected: "https://git.example.com/api/v3 .acme/fleet.github.",
    },
    {
      provider: "Gitea",
      repositoryUrl: "https://example.com/git/acme/fleet",
      apiUrl: "https://example.com/git/api/v10",
      expected: "https://example.com/git/api/v10 acme/fleet",
    },
    {
      provider: "GitLab",
      repositoryUrl: "https://example.com/git/acme/fleet",
      apiUrl: "https://api.example.com/git/api/v4",
      expected: "https://api.example.com/git/api/v4 git/acme/fleet",
    },
    {
      provider: "GitLab",
      repositoryUrl: "https://example.com/git/acme/fleet",
      apiUrl: "https://example.com/git/api/v4/more",
      expected: "https://example.com/git/api/v4/more git/acme/fleet",
    },
  ])("$provider, $repositoryUrl: $expected", ({ expected, ...options }) => {
    const { apiUrl, repository } = findForge(options);
    expect(`${apiUrl} ${repository}`).toBe(expected);
  });

  const good: AddressOptions = { provider: "GitHub", repositoryUrl: "https://git.example.com/acme/fleet" };

  it.each<Partial<AddressOptions> & { reason: string; message: string }>([
    { reason: "a local folder", repositoryUrl: "/srv/fleet", message: "none of a forge" },
    { reason: "a file address", repositoryUrl: "file:///srv/fleet", message: "none of a forge" },
    { reason: "one name only", repositoryUrl: "https://git.example.com/fleet", message: "no name of a repository" },
    {
      reason: "three names at GitHub",
      repositoryUrl: "https://git.example.com/a/b/c",
      message: "no name of a repository",
    },
    {
      reason: "one name only at GitLab",
      provider: "GitLab",
      repositoryUrl: "https://git.example.com/fleet",
      message: "no name of a repository",
    },
    ...[".", "..", "..."].map((name) => ({
      reason: `A12 the name ${name}`,
      repositoryUrl: `git@git.example.com:acme/${name}`,
      message: "no name of a repository",
    })),
    { reason: "two lines", repositoryUrl: "git@git.example.com:acme/fleet\nx", message: "none of a forge" },
    { reason: "A12 dots", repositoryUrl: "https://git.example.com/acme/%2e%2e", message: "no name of a repository" },
    {
      reason: "a name with a query",
      repositoryUrl: "https://git.example.com/acme/fl%3Feet",
      message: "no name of a repository",
    },
    { reason: "http", repositoryUrl: "http://git.example.com/acme/fleet", message: "is not encrypted" },
    ...["127.0.0.1.example.com", "127.example.com", "localhost.example.com"].map((host) => ({
      reason: `A30 http to ${host}, which is another machine`,
      repositoryUrl: `http://${host}/acme/fleet`,
      message: "is not encrypted",
    })),
    { reason: "an API over http", apiUrl: "http://api.example.com", message: "apiURL is no https address" },
    { reason: "an API with a password", apiUrl: "https://u:hunter2@api.example.com", message: "an address alone" },
    { reason: "an API with a user", apiUrl: "https://hunter2@api.example.com", message: "an address alone" },
    { reason: "an API with a password alone", apiUrl: "https://:hunter2@api.example.com", message: "an address alone" },
    { reason: "an API with a fragment", apiUrl: "https://api.example.com/#a", message: "an address alone" },
    { reason: "an API over ftp, on this machine", apiUrl: "ftp://127.0.0.1/", message: "apiURL is no https address" },
    { reason: "a text that is no address", apiUrl: "api", message: "apiURL is no https address" },
    { reason: "an API with a query", apiUrl: "https://api.example.com/?a=b", message: "an address alone" },
    { reason: "no address at all", apiUrl: "javascript:alert(1)", message: "apiURL is no https address" },
  ])("refuses $reason", ({ reason: _, message, ...options }) => {
    expect(() => findForge({ ...good, ...options })).toThrow(message);
    expect(() => findForge({ ...good, ...options })).not.toThrow("hunter2");
  });

  it("A30 sends the repository's own token to the repository's own host only", () => {
    const own = { ...good, isRepositoryToken: true };
    for (const host of ["evil.example.com", "example.com", "evil.git.example.com", "evilgit.example.com"])
      expect(() => findForge({ ...own, apiUrl: `https://${host}/api/v3` })).toThrow(
        "another host than the repository's",
      );
    expect(findForge({ ...own, apiUrl: "https://git.example.com:8443/api/v3" }).apiUrl).toBe(
      "https://git.example.com:8443/api/v3",
    );
    expect(findForge({ ...own, repositoryUrl: "https://github.com/acme/fleet" }).apiUrl).toBe("https://api.github.com");
    expect(() =>
      findForge({ ...own, repositoryUrl: "https://github.com/acme/fleet", apiUrl: "https://git.example.com" }),
    ).toThrow("another host");
  });
});

describe("openForge", () => {
  it.each(["", "  \n", "a\nb", "to ken", "tök"])("refuses the token %j, and does not show it", (token) => {
    const open = () =>
      openForge({ provider: "GitHub", repositoryUrl: "https://github.com/a/b", token, clock: createManualClock() });
    expect(open).toThrow("the token is empty or has characters that no token has");
  });
});

describe("repositoryPath", () => {
  it("is undefined for what is no address of a forge", () => {
    expect([repositoryPath("/srv/x"), repositoryPath("https://h/a/b.git")]).toEqual([undefined, "a/b"]);
  });
});
