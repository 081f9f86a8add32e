import { describe, expect, it } from "vitest";
import type { ForgeRequest } from "../../../src/forge/forge-http.ts";
import { createGitHubApi } from "../../../src/forge/github.ts";
import { readBotId, readUserId } from "../../../src/forge/read-user-id.ts";
import { AppError } from "../../../src/core/errors.ts";

/** A forge that knows a bot, and answers `GET /user` with this, or refuses it. */
function httpWith(user?: unknown) {
  const sent: string[] = [];
  return {
    sent,
    send: ({ method, path }: ForgeRequest) => {
      sent.push(`${method} ${path}`);
      const isUser = path === "/user";
      if (isUser && user === undefined) return Promise.reject(new AppError("E_FORGE_FORBIDDEN", "no user"));
      const json = isUser ? user : { data: { viewer: { databaseId: 99 } } };
      return Promise.resolve({ json, hasNextPage: undefined });
    },
    close: () => Promise.resolve(),
  };
}

describe("readUserId", () => {
  it("gives the id of the user", async () => {
    expect(await readUserId(httpWith({ id: 7, login: "rollcall" }))).toBe("7");
  });

  it("refuses an answer without an id, which would be the author of a comment without one", async () => {
    await expect(readUserId(httpWith({ login: "rollcall" }))).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
  });
});

describe("readBotId", () => {
  it("gives the id of the bot user that GraphQL calls the viewer", async () => {
    expect(await readBotId(httpWith(), "/graphql")).toBe("99");
  });

  it.each([
    { apiUrl: "https://api.github.com", path: "/graphql", reason: "GitHub has it below the root of the API" },
    { apiUrl: "https://git.example.com/api/v3", path: "/../graphql", reason: "an Enterprise Server, beside it" },
  ])("is asked at $path of $apiUrl: $reason", async ({ apiUrl, path }) => {
    const http = httpWith();
    expect(await createGitHubApi(http, { apiUrl, repository: "acme/fleet" }).readUserId()).toBe("99");
    expect(http.sent).toEqual(["GET /user", `POST ${path}`]);
  });
});
