import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Forge, ForgeProvider } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { commitB, forgeToken } from "../../support/forge/forge-state.ts";
import type { FakePull } from "../../support/forge/forge-state.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const providers: ForgeProvider[] = ["GitHub", "GitLab", "Gitea", "Forgejo"];

describe.each(providers)("the message of a squash at %s", (provider) => {
  let server: ForgeServer;
  let forge: Forge;

  beforeEach(async () => {
    server = await startForgeServer(provider);
    const { repositoryUrl } = server;
    forge = openForge({ provider, repositoryUrl, token: forgeToken, clock: createManualClock() });
  });
  afterEach(async () => {
    await forge.close();
    await server.stop();
  });

  const pull = (body: string): FakePull => ({
    number: 5,
    title: "Add eu-west-9",
    body,
    head: "add-eu-west-9",
    headCommit: commitB,
    base: "main",
    isOpen: true,
    isDraft: false,
    headRepositoryId: 1,
  });
  const trailer = "Rollcall-Allow-Deletions: 3";
  const settings: Record<ForgeProvider, Record<string, string>> = {
    GitHub: { squash_merge_commit_message: "PR_BODY" },
    GitLab: { squash_commit_template: "%{title}\n\n%{description}" },
    Gitea: {},
    Forgejo: {},
  };
  const commits = ["First", "Second"].map((message) => ({ message, email: "a@example.com" }));

  it("A59 gives the text of the request where a squash takes it over", async () => {
    server.state.pulls.push(pull(`Meant.\n\n${trailer}`));
    server.state.repositorySettings = settings[provider];
    server.state.pullCommits = commits;
    expect(await forge.readSquashMessage(5)).toBe(`Add eu-west-9\n\nMeant.\n\n${trailer}`);
    expect(server.lines().filter((line) => !line.startsWith("GET"))).toEqual([]);
  });

  it("A201 reads the newest commit of a request, and nothing of one that is not there", async () => {
    server.state.pulls.push(pull("Meant."));
    expect(await forge.readHeadCommit(5)).toBe(commitB);
    expect(await forge.readHeadCommit(77)).toBeUndefined();
  });

  it("A59 gives nothing where it cannot be known", async () => {
    server.state.pulls.push(pull(trailer));
    const isText = provider === "Gitea" || provider === "Forgejo";
    server.state.repositorySettings = provider === "GitLab" ? { squash_commit_template: "%{all_commits}" } : {};
    server.state.pullCommits = isText
      ? commits.map(({ message }) => ({ message, email: `${message}@example.com` }))
      : commits;
    expect(await forge.readSquashMessage(5)).toBeUndefined();
    // One that is not there any more.
    expect(await forge.readSquashMessage(77)).toBeUndefined();
  });
});
