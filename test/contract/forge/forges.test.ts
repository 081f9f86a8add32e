import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Forge, ForgeProvider, PlanComment } from "../../../src/forge/forge.ts";
import { statusContext } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { readPlanMarker } from "../../../src/forge/plan-comment.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer, Interceptor } from "../../support/forge/forge-server.ts";
import { commitA, commitB, forgeToken } from "../../support/forge/forge-state.ts";
import type { FakePull } from "../../support/forge/forge-state.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const providers: ForgeProvider[] = ["GitHub", "GitLab", "Gitea", "Forgejo"];

describe.each(providers)("%s", (provider) => {
  let server: ForgeServer;
  let forge: Forge;

  beforeEach(async () => {
    server = await startForgeServer(provider);
    const { repositoryUrl } = server;
    // As in a Secret: with a line end.
    forge = openForge({ provider, repositoryUrl, token: `${forgeToken}\n`, clock: createManualClock() });
  });
  afterEach(async () => {
    await forge.close();
    await server.stop();
  });

  const context = statusContext("rollcall-system.fleet");
  const plan: PlanComment = {
    pullRequest: 5,
    repository: "rollcall-system.fleet",
    base: commitA,
    head: commitB,
    markdown: "## Plan\n\n1 cluster joins.",
  };

  function pull(more: Partial<FakePull>): FakePull {
    return {
      number: 5,
      title: "Add eu-west-9",
      body: "",
      head: "add-eu-west-9",
      headCommit: commitB,
      base: "main",
      isOpen: true,
      isDraft: false,
      headRepositoryId: 1,
      ...more,
    };
  }

  function writes(): string[] {
    return server.lines().filter((line) => !line.startsWith("GET"));
  }

  describe("setCommitStatus", () => {
    it("F18 sets a status once, however often it is asked to", async () => {
      const status = {
        state: "pending",
        context,
        description: "checking",
        targetUrl: "https://status.example.com/",
      } as const;
      expect(await forge.setCommitStatus(commitB, status)).toBe("created");
      expect(await forge.setCommitStatus(commitB, status)).toBe("unchanged");
      expect(server.state.statuses).toHaveLength(1);
      expect(server.state.statuses[0]).toMatchObject({
        commit: commitB,
        context,
        description: "checking",
        targetUrl: status.targetUrl,
      });
      expect(writes()).toHaveLength(1);
    });

    it("changes it, one context for each Repository", async () => {
      await forge.setCommitStatus(commitB, { state: "pending", context, description: "checking" });
      expect(await forge.setCommitStatus(commitB, { state: "success", context, description: "applied" })).toBe(
        "updated",
      );
      const other = statusContext("rollcall-system.other");
      expect(
        await forge.setCommitStatus(commitB, { state: "failure", context: other, description: "2 problems" }),
      ).toBe("created");
      expect(await forge.setCommitStatus(commitB, { state: "success", context, description: "applied" })).toBe(
        "unchanged",
      );
    });

    it("sets the same status for an error each time", async () => {
      const status = { state: "error", context, description: "the repository cannot be read" } as const;
      expect(await forge.setCommitStatus(commitB, status)).toBe("created");
      expect(await forge.setCommitStatus(commitB, status)).toBe("unchanged");
    });

    it("F18 takes a refusal for done when the commit has the state already", async () => {
      await forge.setCommitStatus(commitB, { state: "pending", context, description: "checking" });
      const refusal = { status: 400, json: { message: "Cannot transition status" } };
      server.intercept(
        // Read: nothing there yet. Write: refused. Read: another client was faster.
        (response) =>
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(provider === "GitLab" ? "[]" : '{"statuses":[]}'),
        (response) =>
          response.writeHead(refusal.status, { "content-type": "application/json" }).end(JSON.stringify(refusal.json)),
      );
      expect(await forge.setCommitStatus(commitB, { state: "pending", context, description: "checking again" })).toBe(
        "unchanged",
      );
      server.intercept(
        (response) =>
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(provider === "GitLab" ? "[]" : '{"statuses":[]}'),
        (response) =>
          response.writeHead(refusal.status, { "content-type": "application/json" }).end(JSON.stringify(refusal.json)),
      );
      await expect(
        forge.setCommitStatus(commitB, { state: "success", context, description: "x" }),
      ).rejects.toMatchObject({
        code: "E_FORGE_REFUSED",
      });
    });

    it("finds it among a hundred others", async () => {
      for (let index = 0; index < 130; index++) {
        const name = index === 129 ? context : `ci/${index}`;
        server.state.statuses.push({
          id: index + 1,
          commit: commitB,
          context: name,
          state: "success",
          description: "ok",
          targetUrl: null,
        });
      }
      expect(await forge.setCommitStatus(commitB, { state: "success", context, description: "ok" })).toBe("unchanged");
      expect(writes()).toEqual([]);
    });

    it("cuts what is too long, to one line, and then leaves it", async () => {
      const description = `line one\nline two \u001b[31mred ${"x".repeat(400)}`;
      expect(await forge.setCommitStatus(commitB, { state: "success", context, description })).toBe("created");
      expect(server.state.statuses[0]?.description).toMatch(/^line one line two \\u\{1b\}\[31mred x+…$/u);
      expect(await forge.setCommitStatus(commitB, { state: "success", context, description })).toBe("unchanged");
    });

    it("reports a commit that the forge does not know", async () => {
      const unknown = "c".repeat(40);
      const failing = forge.setCommitStatus(unknown, { state: "success", context, description: "" });
      await expect(failing).rejects.toMatchObject({
        code: provider === "GitHub" ? "E_FORGE_REFUSED" : "E_FORGE_NOT_FOUND",
      });
    });
  });

  describe("listPullRequests", () => {
    it("A43 gives what is open, with head and base, and knows forks", async () => {
      server.state.pulls.push(
        pull({}),
        pull({ number: 6, headRepositoryId: 2, isDraft: true }),
        pull({ number: 7, headRepositoryId: null }),
        pull({ number: 8, isOpen: false }),
        pull({ number: 9, base: "other" }),
      );
      const found = await forge.listPullRequests({ baseBranch: "main" });
      expect(found).toEqual([
        {
          number: 5,
          title: "Add eu-west-9",
          body: "",
          url: expect.stringContaining(`${server.origin}/acme/fleet/`) as unknown,
          headBranch: "add-eu-west-9",
          headCommit: commitB,
          baseBranch: "main",
          isFork: false,
          isDraft: false,
        },
        expect.objectContaining({ number: 6, isFork: true, isDraft: true }),
        expect.objectContaining({ number: 7, isFork: true }),
      ]);
      expect((await forge.listPullRequests()).map(({ number }) => number)).toEqual([5, 6, 7, 9]);
    });

    it("reads every page, and follows no address that an answer gives", async () => {
      for (let index = 1; index <= 230; index++) server.state.pulls.push(pull({ number: index }));
      expect((await forge.listPullRequests()).map(({ number }) => number)).toEqual(
        Array.from({ length: 230 }, (_, index) => index + 1),
      );
      expect(server.calls.every(({ path }) => path.includes("per_page=100") || path.includes("limit=50"))).toBe(true);
    });

    it("A74 stops at a list without end, or returns what was read of it", async () => {
      const endless = Array.from({ length: 50 }, () => "x");
      const answer = JSON.stringify(endless.map((_, index) => ({ number: index, iid: index })));
      const endlessPage: Interceptor = (response) =>
        response
          .writeHead(200, { "content-type": "application/json", link: '<https://evil.example.com>; rel="next"' })
          .end(answer);
      server.intercept(...Array.from({ length: 60 }, () => endlessPage));
      await expect(forge.listPullRequests()).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
      server.intercept(...Array.from({ length: 60 }, () => endlessPage));
      const cuts: number[] = [];
      await forge.listPullRequests({ onCut: (pages) => void cuts.push(pages) });
      expect(cuts).toEqual([40]);
    });
  });

  describe("plan comments", () => {
    it("makes one, changes it in place, and leaves it when nothing changes", async () => {
      server.state.comments.push({ id: 1, pull: 5, authorId: 55, authorType: "User", isSystem: false, body: "Nice!" });
      expect(await forge.writePlanComment(plan)).toBe("created");
      expect(await forge.writePlanComment(plan)).toBe("unchanged");
      expect(await forge.writePlanComment({ ...plan, markdown: "## Plan\n\n2 clusters join." })).toBe("updated");
      expect(server.state.comments.map(({ body }) => body.split("\n").at(-1))).toEqual(["Nice!", "2 clusters join."]);
      expect(readPlanMarker(server.state.comments[1]?.body ?? "")).toEqual({
        repository: "rollcall-system.fleet",
        base: commitA,
        head: commitB,
        isVoid: false,
      });
    });

    it("keeps one for each Repository", async () => {
      await forge.writePlanComment(plan);
      await forge.writePlanComment({ ...plan, repository: "rollcall-system.other" });
      expect(server.state.comments).toHaveLength(2);
    });

    it("finds it among many", async () => {
      for (let id = 1; id <= 120; id++) {
        server.state.comments.push({
          id,
          pull: 5,
          authorId: 55,
          authorType: "User",
          isSystem: false,
          body: `comment ${id}`,
        });
      }
      await forge.writePlanComment(plan);
      expect(await forge.writePlanComment({ ...plan, markdown: "new" })).toBe("updated");
      expect(server.state.comments).toHaveLength(121);
    });

    it("keeps one when two were made", async () => {
      await forge.writePlanComment(plan);
      const [first] = server.state.comments;
      if (first !== undefined) server.state.comments.push({ ...first, id: 999 });
      expect(await forge.writePlanComment(plan)).toBe("updated");
      expect(server.state.comments.map(({ id }) => id)).toEqual([first?.id]);
    });

    it("A44 does not write into a comment of another author that has our marker", async () => {
      const marker = `<!-- rollcall:plan repository=${plan.repository} base=${commitA} head=${commitB} -->`;
      server.state.comments.push({
        id: 1,
        pull: 5,
        authorId: 55,
        authorType: "User",
        isSystem: false,
        body: `${marker}\nAll is well.`,
      });
      expect(await forge.writePlanComment(plan)).toBe("created");
      expect(server.state.comments.map(({ authorId }) => authorId)).toEqual([55, 7]);
      expect(server.state.comments[0]?.body).toContain("All is well.");
      expect(await forge.writePlanComment(plan)).toBe("unchanged");
    });

    it("marks it as void when the base has moved, and takes it back with the next plan", async () => {
      const request = { pullRequest: 5, repository: plan.repository };
      expect(await forge.voidPlanComment({ ...request, base: commitB })).toBe("unchanged");
      await forge.writePlanComment(plan);
      expect(await forge.voidPlanComment({ ...request, base: commitA })).toBe("unchanged");
      expect(await forge.voidPlanComment({ ...request, base: commitB })).toBe("updated");
      expect(await forge.voidPlanComment({ ...request, base: commitB })).toBe("unchanged");
      const [comment] = server.state.comments;
      expect(comment?.body).toContain(
        "**This plan is void.** The target branch has moved from aaaaaaaaaaaa to bbbbbbbbbbbb",
      );
      expect(comment?.body).toContain("1 cluster joins.");
      expect(await forge.writePlanComment({ ...plan, base: commitB })).toBe("updated");
      expect(server.state.comments).toHaveLength(1);
      expect(server.state.comments[0]?.body).not.toContain("void");
    });

    it("cuts a plan that is longer than a comment may be", async () => {
      const markdown = `<details>\n\n\`\`\`\n${"a line of the plan\n".repeat(80_000)}\`\`\`\n\n</details>`;
      expect(await forge.writePlanComment({ ...plan, markdown })).toBe("created");
      const body = server.state.comments[0]?.body ?? "";
      expect(body.length).toBeLessThan(provider === "GitLab" ? 1_000_001 : 65_537);
      expect(body).toMatch(/a line of the plan\n```\n<\/details>\n\n\*\*The plan is longer than a comment may be/u);
      expect(await forge.writePlanComment({ ...plan, markdown })).toBe("unchanged");
    });
  });

  describe("openPullRequest", () => {
    const draft = { headBranch: "rollcall/join-eu-9", baseBranch: "main", title: "Let eu-9\njoin", body: "It asked." };

    it("opens one for a pushed branch, and gives the same one afterwards", async () => {
      server.state.branches.set(draft.headBranch, commitB);
      const opened = await forge.openPullRequest(draft);
      expect(opened).toMatchObject({
        headBranch: draft.headBranch,
        headCommit: commitB,
        baseBranch: "main",
        title: "Let eu-9 join",
        isFork: false,
      });
      expect(await forge.openPullRequest(draft)).toEqual(opened);
      expect(writes()).toHaveLength(1);
    });

    it("gives the one that another daemon opened meanwhile", async () => {
      server.state.branches.set(draft.headBranch, commitB);
      server.state.pulls.push(pull({ head: draft.headBranch }));
      server.intercept((response) => response.writeHead(200, { "content-type": "application/json" }).end("[]"));
      expect(await forge.openPullRequest(draft)).toMatchObject({ number: 5 });
    });

    it("does not take one from a fork for ours", async () => {
      server.state.branches.set(draft.headBranch, commitB);
      server.state.pulls.push(pull({ head: draft.headBranch, headRepositoryId: 2, base: "release" }));
      expect((await forge.openPullRequest({ ...draft, baseBranch: "main" })).number).not.toBe(5);
    });
  });
});

describe("GitLab and Gitea with a token that may not ask who it is", () => {
  it.each(["GitLab", "Gitea"] as const)(
    "%s reports which right is missing instead of commenting anew each time",
    async (provider) => {
      const server = await startForgeServer(provider);
      const forge = openForge({
        provider,
        repositoryUrl: server.repositoryUrl,
        token: forgeToken,
        clock: createManualClock(),
      });
      const comment = { pullRequest: 5, repository: "ns.fleet", base: commitA, head: commitB, markdown: "plan" };
      await forge.writePlanComment(comment);
      server.state.userId = undefined;
      await expect(forge.writePlanComment(comment)).rejects.toMatchObject({ code: "E_FORGE_FORBIDDEN" });
      expect(server.state.comments).toHaveLength(1);
      await forge.close();
      await server.stop();
    },
  );
});

describe("GitLab", () => {
  it("A44 runs no command that is in a comment or a description", async () => {
    const server = await startForgeServer("GitLab");
    const forge = openForge({
      provider: "GitLab",
      repositoryUrl: server.repositoryUrl,
      token: forgeToken,
      clock: createManualClock(),
    });
    const comment = { pullRequest: 5, repository: "ns.fleet", base: commitA };
    // The second one is an edit of the first.
    for (const head of [commitB, commitA]) {
      const markdown = `${head}\n/merge\n  /approve now\n/ no command\nhttps://x/merge`;
      await forge.writePlanComment({ ...comment, head, markdown });
      expect(server.state.comments.map(({ body }) => body.split("\n").slice(1))).toEqual([
        [head, "\\/merge", "  \\/approve now", "/ no command", "https://x/merge"],
      ]);
    }
    const opened = await forge.openPullRequest({ headBranch: "x", baseBranch: "main", title: "t", body: "/close" });
    expect(server.state.pulls.find(({ number }) => number === opened.number)?.body).toBe("\\/close");
    await forge.close();
    await server.stop();
  });
});
