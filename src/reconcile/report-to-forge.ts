import type { Log } from "../core/log.ts";
import type { CommitStatus, Forge } from "../forge/forge.ts";
import { statusContext } from "../forge/forge.ts";
import type { Repository } from "../model/generated/repository.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import type { ProposedBranch } from "./branch-keeper.ts";
import { isRefusedReport, ReportOnce } from "./report-once.ts";

export interface ForgeNews {
  /** With the status of this run. */
  readonly repository: Repository;
  /** A commit that is not applied, because it has no valid signature. */
  readonly unverified: { readonly commit: string; readonly message: string } | undefined;
  readonly proposed: readonly ProposedBranch[];
}

/** Opens the forge that a Repository names; undefined when it names none. The same one while nothing of it changed. */
export type OpenRepositoryForge = (repository: Repository) => Promise<Forge | undefined>;

const states = { Applied: "success", Partial: "failure", Withheld: "pending", Failed: "error" } as const;

/**
 * Reports the results of commits at the forge, and opens pull requests for proposed changes. This process never repeats
 * a report, and reads the forge before it writes.
 */
export class ForgeReporter {
  readonly #openForge: OpenRepositoryForge;
  readonly #log: Log;
  readonly #reports = new ReportOnce();

  constructor(openForge: OpenRepositoryForge, log: Log) {
    this.#openForge = openForge;
    this.#log = log;
  }

  /** @throws what the forge fails with: the reports that it took are not sent again */
  async send(news: ForgeNews, signal: AbortSignal): Promise<void> {
    if (news.repository.spec.forge === undefined) return;
    const forge = await this.#openForge(news.repository);
    if (!forge) return;
    for (const { commit, status } of statusesOf(news))
      await this.#tolerate(() =>
        this.#reports.report(`status ${commit}`, JSON.stringify(status), () =>
          forge.setCommitStatus(commit, status, signal),
        ),
      );
    for (const { branch, commit, title, body } of news.proposed) {
      const draft = { headBranch: branch, baseBranch: news.repository.spec.ref?.branch ?? "main", title, body };
      await this.#tolerate(() =>
        this.#reports.report(`proposal ${branch}`, commit, () => forge.openPullRequest(draft, signal)),
      );
    }
  }

  /** What a forge refuses, such as the status of a commit that it does not know, keeps no other report from it. */
  async #tolerate(report: () => Promise<void>): Promise<void> {
    try {
      await report();
    } catch (error) {
      if (!isRefusedReport(error)) throw error;
      this.#log.warn("the forge refuses a report", { error });
    }
  }
}

function statusesOf({ repository, unverified }: ForgeNews): { commit: string; status: CommitStatus }[] {
  const context = statusContext(repositoryLabelOf(repository));
  const newest = repository.status?.recentCommits?.[0];
  const statuses: { commit: string; status: CommitStatus }[] = [];
  if (newest?.commit)
    statuses.push({
      commit: newest.commit,
      status: { state: states[newest.outcome ?? "Failed"], context, description: newest.message ?? "" },
    });
  if (unverified)
    statuses.push({
      commit: unverified.commit,
      status: { state: "failure", context, description: unverified.message },
    });
  return statuses;
}
