import { describe, expect, it } from "vitest";
import { createGitLabHost } from "../../../src/forge/gitlab-host.ts";
import type { ForgeRequest } from "../../../src/forge/forge-http.ts";

describe("createGitLabHost", () => {
  it("makes a project in a group of a group", async () => {
    const sent: ForgeRequest[] = [];
    const http = {
      send: (request: ForgeRequest) => {
        sent.push(request);
        return Promise.resolve({ json: { id: 5, ssh_url_to_repo: "git@example.com:x.git" }, hasNextPage: false });
      },
      close: () => Promise.resolve(),
    };
    await createGitLabHost(http, "acme/platform/fleet").createRepository();
    expect(sent.map(({ path }) => path)).toEqual(["/namespaces/acme%2Fplatform", "/projects"]);
    expect(sent[1]?.body).toMatchObject({ path: "fleet", namespace_id: 5, visibility: "private" });
  });
});
