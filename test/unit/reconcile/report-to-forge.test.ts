import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { CommitStatus, PullRequestDraft } from "../../../src/forge/forge.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { ProposedBranch } from "../../../src/reconcile/branch-keeper.ts";
import type { ForgeNews } from "../../../src/reconcile/report-to-forge.ts";
import { ForgeReporter } from "../../../src/reconcile/report-to-forge.ts";
import { repository } from "./phase-builders.ts";

type Recent = NonNullable<NonNullable<Repository["status"]>["recentCommits"]>[number];

const forged: Repository["spec"] = { ...repository.spec, forge: { provider: "GitLab", secretRef: { name: "forge" } } };
const proposalOf = (commit: string): ProposedBranch => ({
  branch: "rollcall/join/fleet/edge",
  commit,
  title: "t",
  body: "b",
});

function newsOf(
  fields: Partial<ForgeNews> & { readonly recent?: Partial<Recent>; readonly spec?: Repository["spec"] } = {},
): ForgeNews {
  const { recent, spec = forged, ...news } = fields;
  const status =
    recent === undefined ? {} : { status: { recentCommits: [recent as Recent, { commit: "older" } as Recent] } };
  return { repository: { ...repository, spec, ...status }, unverified: undefined, proposed: [], ...news };
}

function openReporter({ isThere = true, error }: { readonly isThere?: boolean; readonly error?: AppError } = {}) {
  const asked: (readonly [string, CommitStatus] | PullRequestDraft)[] = [];
  const warnings: unknown[] = [];
  const scene = { opens: 0, error };
  const answer = (call: (typeof asked)[number]) => {
    asked.push(call);
    return scene.error ? Promise.reject(scene.error) : Promise.resolve("created");
  };
  const forge = {
    setCommitStatus: (commit: string, status: CommitStatus) => answer([commit, status]),
    openPullRequest: (draft: PullRequestDraft) => answer(draft),
  };
  const open = () => {
    scene.opens += 1;
    return Promise.resolve(isThere ? (forge as never) : undefined);
  };
  const reporter = new ForgeReporter(open, {
    ...silentLog,
    warn: (_message, fields) => void warnings.push(fields?.["error"]),
  });
  const send = (news: ForgeNews, signal = new AbortController().signal) => reporter.send(news, signal);
  return { send, asked, warnings, scene };
}

describe("ForgeReporter", () => {
  it("asks nothing without a forge", async () => {
    const none = openReporter();
    await none.send(newsOf({ recent: { commit: "c1" }, spec: repository.spec }));
    expect(none.scene.opens).toBe(0);
    const absent = openReporter({ isThere: false });
    await absent.send(newsOf({ recent: { commit: "c1" } }));
    expect([absent.asked, absent.warnings]).toEqual([[], []]);
  });

  it.each([
    { outcome: "Applied" as const, state: "success" },
    { outcome: "Partial" as const, state: "failure" },
    { outcome: "Withheld" as const, state: "pending" },
    { outcome: "Failed" as const, state: "error" },
    { outcome: undefined, state: "error" },
  ])("sets the status of the newest commit: $outcome is $state", async ({ outcome, state }) => {
    const { send, asked } = openReporter();
    await send(newsOf({ recent: { commit: "c1", ...(outcome ? { outcome, message: "3 clusters" } : {}) } }));
    const description = outcome ? "3 clusters" : "";
    expect(asked).toEqual([["c1", { state, context: "rollcall/rollcall.fleet", description }]]);
  });

  it("reports a commit that is not verified as a failure", async () => {
    const { send, asked } = openReporter();
    await send(newsOf({ unverified: { commit: "c2", message: "no signature" } }));
    await send(newsOf({ recent: {} }));
    expect(asked).toEqual([
      ["c2", { state: "failure", context: "rollcall/rollcall.fleet", description: "no signature" }],
    ]);
  });

  it.each([
    { ref: undefined, baseBranch: "main" },
    { ref: { branch: "live" }, baseBranch: "live" },
  ])(
    "opens a pull request for a proposed branch into $baseBranch, again only for another commit",
    async ({ ref, baseBranch }) => {
      const { send, asked } = openReporter();
      const spec = { ...forged, ...(ref ? { ref } : {}) };
      for (const commit of ["c1", "c1", "c2"]) await send(newsOf({ spec, proposed: [proposalOf(commit)] }));
      const draft = { headBranch: "rollcall/join/fleet/edge", baseBranch, title: "t", body: "b" };
      expect(asked).toEqual([draft, draft]);
    },
  );

  it("repeats no report that the forge took, and one that it did not", async () => {
    const error = new AppError("E_FORGE_UNREACHABLE", "no answer came");
    const { send, asked, scene } = openReporter({ error });
    const news = newsOf({ recent: { commit: "c1", outcome: "Applied", message: "" } });
    await expect(send(news)).rejects.toThrow(error);
    scene.error = undefined;
    await send(news);
    await send(news);
    expect(asked).toHaveLength(2);
  });
});
