import { expect, it, onTestFinished } from "vitest";
import type { ForgeProvider } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import { commitA, commitB, forgeToken } from "../../support/forge/forge-state.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const providers: ForgeProvider[] = ["GitHub", "GitLab", "Gitea", "Forgejo"];

async function setUp(provider: ForgeProvider) {
  const server = await startForgeServer(provider);
  onTestFinished(() => server.stop());
  const { repositoryUrl } = server;
  const forge = openForge({ provider, repositoryUrl, token: forgeToken, clock: createManualClock() });
  onTestFinished(() => forge.close());
  return { server, forge };
}

it.each(providers)("A123 the comment with the plan stays when %s lists it twice", async (provider) => {
  const { server, forge } = await setUp(provider);
  const plan = {
    pullRequest: 5,
    repository: "system.fleet",
    base: commitA,
    head: commitB,
    markdown: "1 cluster joins.",
  };
  await forge.writePlanComment(plan);
  const [comment] = server.state.comments;
  if (comment !== undefined) server.state.comments.push(comment);
  expect(await forge.writePlanComment(plan)).toBe("unchanged");
  expect(await forge.writePlanComment({ ...plan, markdown: "2 clusters join." })).toBe("updated");
  expect(server.lines().filter((line) => line.startsWith("DELETE"))).toEqual([]);
  expect(comment?.body).toContain("2 clusters join.");
});

it.each(providers)("a pull request that %s lists twice is one", async (provider) => {
  const { server, forge } = await setUp(provider);
  const pull = {
    ...{ number: 5, title: "", body: "", head: "b", headCommit: commitB, base: "main" },
    ...{ isOpen: true, isDraft: false, headRepositoryId: 1 },
  };
  server.state.pulls.push(pull, pull);
  expect((await forge.listPullRequests()).map(({ number }) => number)).toEqual([5]);
});
