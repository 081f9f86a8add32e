import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { Forge, ForgeProvider } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { ProposedBranch } from "../../../src/reconcile/branch-keeper.ts";
import { ForgeReporter } from "../../../src/reconcile/report-to-forge.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { commitA, commitB, forgeToken } from "../../support/forge/forge-state.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const providers: ForgeProvider[] = ["GitHub", "GitLab", "Gitea", "Forgejo"];

describe.each(providers)("what the daemon reports to %s", (provider) => {
  let server: ForgeServer;
  let forge: Forge;
  beforeEach(async () => {
    server = await startForgeServer(provider);
    forge = openForge({
      provider,
      repositoryUrl: server.repositoryUrl,
      token: forgeToken,
      clock: createManualClock(),
    });
  });
  afterEach(async () => {
    await forge.close();
    await server.stop();
  });

  const signal = new AbortController().signal;
  const repository = (outcome: "Applied" | "Partial", commit: string): Repository => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "rollcall-system" },
    spec: { url: server.repositoryUrl, forge: { provider } },
    status: { recentCommits: [{ commit, outcome, time: "2026-01-01T00:00:00Z", message: "3 changes." }] },
  });
  const proposal: ProposedBranch = {
    branch: "rollcall/join/fleet/door",
    commit: commitB,
    title: "Let clusters in by token fleet/door",
    body: "- fleet/edge-1",
  };
  const writes = (): string[] => server.lines().filter((line) => !line.startsWith("GET"));
  const news = (change: Partial<Parameters<ForgeReporter["send"]>[0]> = {}) => ({
    repository: repository("Applied", commitA),
    unverified: undefined,
    proposed: [],
    ...change,
  });

  it("is what became of a commit, once; another process that reports it again writes nothing", async () => {
    const reporter = new ForgeReporter(async () => forge, silentLog);
    await reporter.send(news(), signal);
    expect(writes()).toHaveLength(1);
    await reporter.send(news(), signal);
    const calls = server.lines().length;
    await new ForgeReporter(async () => forge, silentLog).send(news(), signal);
    expect(writes()).toHaveLength(1);
    expect(server.lines().length).toBeGreaterThan(calls);
    await reporter.send(news({ repository: repository("Partial", commitA) }), signal);
    expect(writes()).toHaveLength(2);
    await reporter.send(news({ unverified: { commit: commitB, message: "nobody vouches for it" } }), signal);
    expect(writes()).toHaveLength(4);
  });

  it("is a pull request for each branch that waits, once", async () => {
    server.state.branches.set(proposal.branch, proposal.commit);
    const reporter = new ForgeReporter(async () => forge, silentLog);
    await reporter.send(news({ proposed: [proposal] }), signal);
    await reporter.send(news({ proposed: [proposal] }), signal);
    const open = await forge.listPullRequests({ baseBranch: "main" });
    expect(open).toMatchObject([{ headBranch: "rollcall/join/fleet/door", isFork: false }]);
    await reporter.send(news({ proposed: [{ ...proposal, commit: commitA }] }), signal);
    expect(await forge.listPullRequests({ baseBranch: "main" })).toHaveLength(1);
  });

  it("is each by itself: a status and a pull request that are refused keep no other from it", async () => {
    server.state.branches.set(proposal.branch, proposal.commit);
    const refused = { ...proposal, branch: "rollcall/join/fleet/unknown" };
    const reporter = new ForgeReporter(async () => forge, silentLog);
    const unknown = repository("Applied", "f".repeat(40));
    await reporter.send(news({ repository: unknown, proposed: [refused, proposal] }), signal);
    const open = await forge.listPullRequests({ baseBranch: "main" });
    // GitLab opens one for a branch that does not exist.
    expect(open.map(({ headBranch }) => headBranch)).toContain(proposal.branch);
    expect(server.state.statuses).toEqual([]);
  });

  it("A153 reports a commit, and opens pull requests for waiting clusters, when it has more statuses than are read", async () => {
    server.state.branches.set(proposal.branch, proposal.commit);
    for (let id = 1; id <= 4_100; id += 1) {
      // GitLab keeps one of each pipeline, and is asked for this name alone.
      const name = provider === "GitLab" ? "rollcall/rollcall-system.fleet" : `status-${id}`;
      server.state.statuses.push({
        ...{ id, commit: commitA, context: name, state: "success" },
        ...{ description: "", targetUrl: null },
      });
    }
    const reporter = new ForgeReporter(async () => forge, silentLog);
    await reporter.send(news({ proposed: [proposal] }), signal);
    const open = await forge.listPullRequests({ baseBranch: "main" });
    expect(open.map(({ headBranch }) => headBranch)).toEqual([proposal.branch]);
    expect(server.state.statuses.at(-1)).toMatchObject({ commit: commitA, description: "3 changes." });
  });

  it("sends to a forge that failed when it is asked again", async () => {
    let tries = 0;
    const flaky = async (): Promise<Forge> => {
      tries += 1;
      if (tries === 1) throw new Error("the forge is away");
      return forge;
    };
    const reporter = new ForgeReporter(flaky, silentLog);
    await expect(reporter.send(news(), signal)).rejects.toThrow("the forge is away");
    expect(writes()).toEqual([]);
    await reporter.send(news(), signal);
    expect(writes()).toHaveLength(1);
  });
});
