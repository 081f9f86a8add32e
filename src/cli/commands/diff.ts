import { resolve } from "node:path";
import { countOf, oneOrMany } from "../../core/count-of.ts";
import { AppError } from "../../core/errors.ts";
import { shortCommit } from "../../core/short-commit.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { openRepository } from "../../daemon/open-repository.ts";
import { planAgainstHub } from "../../daemon/plan-against-hub.ts";
import { workTreeOf } from "../../git/local/local-repository.ts";
import { resolveRevision } from "../../git/local/resolve-revision.ts";
import type { PlanReport } from "../../model/generated/plan-report.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { hasChanges } from "../../planning/plan-words.ts";
import { readPath } from "../../settings/read-path.ts";
import { realClock } from "../../system/real-clock.ts";
import { commitOfWorkTree } from "../../work-tree/commit-of-work-tree.ts";
import { openParsedFiles, saveParsedFiles } from "./parsed-files.ts";
import { writePlan } from "./write-plan.ts";
import type { PlainContext } from "./command-context.ts";

/**
 * `rollcall diff [dir]`: what the hub would change if the work tree was committed and pushed as it is, by the code of `run`.
 * Default: the work tree that the current folder is in. Exit code 0 without a difference, 1 with one, and 1 when a file has an
 * error.
 * @throws E_KUBE_NOT_FOUND without the Repository, E_GIT_FOLDER, E_GIT_BRANCH_MISSING, E_READ
 */
export async function runDiff(context: PlainContext): Promise<number> {
  const report = await diffOf(context);
  writePlan(report, context);
  return report.counts.errors > 0 || hasChanges(report) ? 1 : 0;
}

async function diffOf({ settings, args, environment, signal }: PlainContext): Promise<PlanReport> {
  // The whole path: in the name of a folder from the current one, a colon or a space would make it an address.
  const dir = resolve(readPath(args[0] ?? (await workTreeOf(".")) ?? ".", environment));
  const { hubApi } = await connectHub(settings, environment);
  try {
    const namespace = settings.requiredText("namespace");
    const name = settings.requiredText("repository");
    const repository = (await hubApi.get({ type: resourceTypes.repository, namespace, name }, { signal })) as
      | Repository
      | undefined;
    if (repository === undefined) {
      throw new AppError(
        "E_KUBE_NOT_FOUND",
        `the hub has no Repository ${namespace}/${name}: name another with --repository, or its namespace with --namespace`,
        { recovery: "stalled" },
      );
    }
    const git = await openRepository(settings, dir, environment);
    try {
      const head = await resolveRevision("HEAD", { path: dir, git });
      const workTree = await commitOfWorkTree(git, dir, head);
      const cache = await openParsedFiles(settings, dir, environment);
      const report = await planAgainstHub({
        hubApi,
        git: workTree.git,
        head: workTree.commit,
        repository,
        parsedFiles: cache,
        isWorkTree: true,
        isDryRun: settings.isOn("dry-run"),
        nowMs: realClock.nowMs(),
        signal,
      });
      await saveParsedFiles(cache, environment);
      const applied = repository.status?.appliedCommit;
      const isBehind = applied === undefined || (await git.isAncestor(applied, head));
      const { commit: _commit, ...rest } = report;
      return { ...rest, notes: [...notesOf(repository, { head, isBehind, ...workTree }), ...report.notes] };
    } finally {
      await git.close();
    }
  } finally {
    await hubApi.close();
  }
}

interface Compared {
  readonly head: string;
  readonly changed: readonly string[];
  /** Whether the checked out commit has the applied one in its history. */
  readonly isBehind: boolean;
}

function notesOf({ spec, status }: Repository, { head, changed, isBehind }: Compared): string[] {
  const count = changed.length;
  const tree = `${count === 0 ? "no file differs" : `${countOf(count, "file")} ${oneOrMany(count, "differs", "differ")}`} from commit ${shortCommit(head)}`;
  const applied = status?.appliedCommit;
  const from = applied === undefined ? "no commit was applied yet" : `commit ${shortCommit(applied)} is applied`;
  const notes = [`Compares the work tree (${tree}) with the hub; ${from}.`];
  if (!isBehind) {
    notes.push(
      `Commit ${shortCommit(applied ?? "")} is not in the history of what is checked out: its changes are taken back here. Pull first (git pull --rebase), and compare again.`,
    );
  }
  if (spec.verify !== undefined) notes.push("The Repository applies only signed commits: sign the one that you push.");
  return notes;
}
