import { describe, expect, it } from "vitest";
import { createGitHubStyleHost } from "../../../src/forge/github-style-host.ts";
import type { ForgeRequest } from "../../../src/forge/forge-http.ts";

function hostOf(login: string) {
  const sent: ForgeRequest[] = [];
  const http = {
    send: (request: ForgeRequest) => {
      sent.push(request);
      const json = request.path === "/user" ? { login } : { ssh_url: "git@example.com:a/b.git", ssh_keys: ["k"] };
      return Promise.resolve({ json, hasNextPage: false });
    },
    close: () => Promise.resolve(),
  };
  const dialect = { page: { sizeParameter: "limit", size: 50 } };
  return {
    sent,
    withMeta: createGitHubStyleHost(http, "Acme/fleet", { ...dialect, hasMeta: true }),
    plain: createGitHubStyleHost(http, "Acme/fleet", { ...dialect, hasMeta: false }),
  };
}

describe("createGitHubStyleHost", () => {
  it.each([
    { login: "acme", path: "/user/repos", reason: "the repository is the person's own" },
    { login: "somebody", path: "/orgs/Acme/repos", reason: "the owner is an organization" },
  ])("makes a repository at $path where $reason", async ({ login, path }) => {
    const { sent, plain } = hostOf(login);
    await plain.createRepository();
    expect(sent.at(-1)).toMatchObject({ method: "POST", path, body: { name: "fleet", private: true } });
  });

  it("asks for the keys of ssh only where the API has them", async () => {
    const { sent, plain, withMeta } = hostOf("acme");
    expect(await plain.readServerKeys()).toEqual([]);
    expect(sent).toEqual([]);
    expect(await withMeta.readServerKeys()).toEqual(["k"]);
  });
});
