import { compact } from "../../core/compact.ts";
import { cutWith } from "../../core/trim-characters.ts";
import type { CommitSummary, RepositorySummary } from "../../model/generated/page-api.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { WaitingFile } from "../../model/generated/waiting-file.ts";
import { findCondition } from "../conditions.ts";
import type { ForgeLinks } from "./forge-links.ts";
import { problemView } from "./plan-view.ts";

/** What is read of a commit, without needing git. */
export interface CommitFacts {
  readonly id: string;
  readonly author: { readonly name: string };
  readonly committedAtMs: number;
  readonly message: string;
}

const longestSubject = 200;

/** The repository and its state. `commitOf` returns a commit if it is known here. */
export function repositorySummary(
  repository: Repository,
  { links, commitOf }: { readonly links: ForgeLinks; readonly commitOf: (id: string) => CommitFacts | undefined },
): RepositorySummary {
  const { spec, status } = repository;
  const ready = findCondition(status?.conditions, "Ready");
  const writeBack = findCondition(status?.conditions, "WriteBackReady");
  const summaryOf = (id: string | undefined): CommitSummary | undefined =>
    id === undefined ? undefined : commitSummary(id, commitOf(id), links);
  const observed = status?.observedCommit;
  return compact({
    url: withoutCredentials(status?.url ?? spec.url),
    branch: spec.ref?.branch ?? "main",
    link: links.repository,
    state:
      spec.suspend === true || ready?.status === "False" ? "stalled" : ready?.status === "True" ? "applied" : "working",
    message: spec.suspend === true ? "Suspended: git is not followed." : (ready?.message ?? "No run has finished yet."),
    observed: summaryOf(observed),
    applied: summaryOf(status?.appliedCommit),
    settled: summaryOf(status?.settledCommit),
    waiting: waitingList(repository, { links, summaryOf: (id) => commitSummary(id, commitOf(id), links) }),
    errors: status?.problems?.errors ?? 0,
    warnings: status?.problems?.warnings ?? 0,
    problems: (status?.problems?.first ?? []).map((problem) => problemView(problem, { links, commit: observed })),
    withheld: withheldNotice(repository),
    isSuspended: spec.suspend === true ? true : undefined,
    writeBackFailure: writeBack?.status === "False" ? writeBack.message : undefined,
  });
}

/** What a file waits for, by why it waits. */
const waitsFor: Readonly<Record<WaitingFile["reason"], string>> = {
  Errors: "It has errors. What it declared before stays until they are corrected.",
  Withheld: "A removal that it causes waits for an approval.",
  WriteFailed: "The hub refused a write. It is tried again.",
};

function waitingList(
  { status }: Repository,
  { links, summaryOf }: { readonly links: ForgeLinks; readonly summaryOf: (id: string) => CommitSummary },
): RepositorySummary["waiting"] {
  const { waiting, observedCommit } = status ?? {};
  if (!waiting || waiting.count === 0) return undefined;
  const items = waiting.first.map(({ file, reason, since }) =>
    compact({
      file,
      reason,
      message: waitsFor[reason],
      since: since === undefined ? undefined : summaryOf(since),
      link: links.file(file, { commit: observedCommit }),
    }),
  );
  return { count: waiting.count, items };
}

function withheldNotice({ status }: Repository): RepositorySummary["withheld"] {
  const withheld = status?.withheld;
  if (!withheld) return undefined;
  return compact({
    count: withheld.count,
    reason: withheld.reason ?? "",
    objects: withheld.objects ?? [],
    message: findCondition(status.conditions, "Stalled")?.message ?? "They wait for an approval.",
    commit: withheld.commit,
    approvable: withheld.approvable,
  });
}

export function commitSummary(id: string, commit: CommitFacts | undefined, links: ForgeLinks): CommitSummary {
  const subject = commit?.message.split("\n", 1)[0];
  return compact({
    id,
    subject: subject && cutWith("…", subject, longestSubject),
    author: commit?.author.name,
    committed: commit && new Date(commit.committedAtMs).toISOString(),
    link: links.commit(id),
  });
}

/** An address that is safe to show: without user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^/@]*@/iu, "$1");
}
