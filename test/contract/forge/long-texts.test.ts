import { describe, expect, it, onTestFinished } from "vitest";
import type { Forge, ForgeProvider } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import type { FakePull } from "../../support/forge/forge-state.ts";
import { commitA, commitB, forgeToken } from "../../support/forge/forge-state.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const providers: ForgeProvider[] = ["GitHub", "GitLab", "Gitea", "Forgejo"];

/** An answer may have this many bytes. */
const maximumBytes = 100_000;

async function setUp(provider: ForgeProvider): Promise<{ server: ForgeServer; forge: Forge }> {
  const server = await startForgeServer(provider);
  onTestFinished(() => server.stop());
  const { repositoryUrl } = server;
  const forge = openForge({ provider, repositoryUrl, token: forgeToken, clock: createManualClock(), maximumBytes });
  onTestFinished(() => forge.close());
  return { server, forge };
}

function pullOf(number: number, more: Partial<FakePull> = {}): FakePull {
  return {
    ...{ number, title: "", body: "", head: `b${number}`, headCommit: commitB, base: "main" },
    ...{ isOpen: true, isDraft: false, headRepositoryId: 1 },
    ...more,
  };
}

const plan = { pullRequest: 5, repository: "system.fleet", base: commitA, head: commitB, markdown: "1 cluster joins." };

function addComments(server: ForgeServer, count: number, body: string): void {
  for (let index = 0; index < count; index++)
    server.state.comments.push({
      ...{ id: 1000 + index, pull: 5, authorId: 55, authorType: "User", isSystem: false, body },
    });
}

describe.each(providers)("texts of strangers at %s", (provider) => {
  it("A160 lists the other pull requests when those of forks have texts that are too long for one answer", async () => {
    const { server, forge } = await setUp(provider);
    const long = { body: "x".repeat(40_000), headRepositoryId: 2 };
    for (let number = 1; number <= 120; number++) server.state.pulls.push(pullOf(number, number % 30 < 3 ? long : {}));
    const found = await forge.listPullRequests({ baseBranch: "main" });
    expect(found.map(({ number }) => number)).toEqual(server.state.pulls.map(({ number }) => number));
  });

  it("A160 reads a page as long as an answer may be", async () => {
    const server = await startForgeServer(provider);
    onTestFinished(() => server.stop());
    const { repositoryUrl } = server;
    const forge = openForge({ provider, repositoryUrl, token: forgeToken, clock: createManualClock() });
    onTestFinished(() => forge.close());
    const body = "x".repeat(1_000_000);
    for (let number = 1; number <= 20; number++) server.state.pulls.push(pullOf(number, { body, headRepositoryId: 2 }));
    expect(await forge.listPullRequests()).toHaveLength(20);
  });

  it("A160 leaves out the one pull request whose text is longer than an answer may be", async () => {
    const { server, forge } = await setUp(provider);
    const endless = { body: "x".repeat(maximumBytes), headRepositoryId: 2 };
    for (let number = 1; number <= 60; number++) server.state.pulls.push(pullOf(number, number === 60 ? endless : {}));
    expect(await forge.listPullRequests({ baseBranch: "main" })).toHaveLength(59);
    server.state.branches.set("rollcall/join/fleet/door", commitB);
    const draft = { headBranch: "rollcall/join/fleet/door", baseBranch: "main", title: "Admit clusters", body: "" };
    expect(await forge.openPullRequest(draft)).toMatchObject({ headBranch: draft.headBranch });
  });

  it("A160 ends a list of which each page is too long, however small", async () => {
    const { server, forge } = await setUp(provider);
    server.state.pulls.push(...Array.from({ length: 450 }, (_, index) => pullOf(index, { body: "x".repeat(99_900) })));
    const cuts: number[] = [];
    await forge.listPullRequests({ onCut: (pages) => void cuts.push(pages) });
    expect(cuts).toHaveLength(1);
    expect(server.calls.length).toBeLessThan(420);
  });

  it("A160 keeps of texts what is asked for, and nothing of forks", async () => {
    const { server, forge } = await setUp(provider);
    server.state.pulls.push(pullOf(1, { body: "a long text" }), pullOf(2, { body: "another", headRepositoryId: 2 }));
    const bodies = (pulls: readonly { readonly body: string }[]) => pulls.map(({ body }) => body);
    expect(bodies(await forge.listPullRequests())).toEqual(["", ""]);
    expect(bodies(await forge.listPullRequests({ keptOfBody: (body) => body.slice(0, 6) }))).toEqual(["a long", ""]);
  });

  it("A161 proposes no message for a squash, and plans, when the commits of a request are longer than is read", async () => {
    const { server, forge } = await setUp(provider);
    server.state.pulls.push(pullOf(5));
    server.state.pullCommits = Array.from({ length: 3 }, () => ({ message: "x".repeat(60_000), email: "a@b.c" }));
    expect(await forge.readSquashMessage(5)).toBeUndefined();
  });

  it("A161 changes its plan among more comments than are read, when it was there before them", async () => {
    const { server, forge } = await setUp(provider);
    await forge.writePlanComment(plan);
    addComments(server, provider === "Gitea" || provider === "Forgejo" ? 150 : 2100, "+1");
    expect(await forge.writePlanComment({ ...plan, markdown: "2 clusters leave." })).toBe("updated");
    expect(server.state.comments[0]?.body).toContain("2 clusters leave.");
  });
});

it.each(["GitHub", "GitLab"] as const)(
  "A161 writes no second plan where %s has more comments than are read",
  async (provider) => {
    const { server, forge } = await setUp(provider);
    addComments(server, 2100, "+1");
    await forge.writePlanComment(plan).catch(() => undefined);
    await expect(forge.writePlanComment(plan)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    expect(server.state.comments).toHaveLength(2100);
  },
);

describe.each(["Gitea", "Forgejo"] as const)("%s", (provider) => {
  it("A155 changes its plan where strangers have written more than an answer may have", async () => {
    const { server, forge } = await setUp(provider);
    const event = { pull: 5, authorId: 55, authorType: "User", body: "", isSystem: true } as const;
    for (let id = 1; id <= 55; id++) server.state.comments.push({ ...event, id });
    await forge.writePlanComment(plan);
    const ours = server.state.comments.at(-1);
    addComments(server, 120, "x".repeat(20_000));
    expect(await forge.writePlanComment({ ...plan, markdown: "2 clusters leave." })).toBe("updated");
    expect(ours?.body).toContain("2 clusters leave.");
    expect(await forge.voidPlanComment({ ...plan, base: commitB })).toBe("updated");
  });

  it("A155 writes its plan where comments on code fill a page of what strangers have written", async () => {
    const { server, forge } = await setUp(provider);
    const onCode = { pull: 5, authorId: 55, authorType: "User", body: "", isSystem: false, isOnCode: true } as const;
    for (let id = 1; id <= 49; id++) server.state.comments.push({ ...onCode, id });
    addComments(server, 10, "x".repeat(20_000));
    await forge.writePlanComment(plan);
    expect(await forge.writePlanComment({ ...plan, markdown: "2 clusters leave." })).toBe("updated");
  });

  it.each([7, 25, 30])(
    "A154 lists every other pull request where the server gives no more than %i of them at once, and some are too long",
    async (mostPerPage) => {
      const { server, forge } = await setUp(provider);
      server.state.mostPerPage = mostPerPage;
      const isEndless = (number: number) => number === 65 || number === 119;
      for (let number = 1; number <= 150; number++)
        server.state.pulls.push(pullOf(number, isEndless(number) ? { body: "x".repeat(maximumBytes) } : {}));
      const others = server.state.pulls.map(({ number }) => number).filter((number) => !isEndless(number));
      expect((await forge.listPullRequests({ baseBranch: "main" })).map(({ number }) => number)).toEqual(others);
    },
  );
});
