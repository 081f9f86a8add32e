import { readFile } from "node:fs/promises";
import { describeError, isAppError } from "../../core/errors.ts";
import type { CommitStatus } from "../../forge/forge.ts";
import { statusContext } from "../../forge/forge.ts";
import { openForge } from "../../forge/open-forge.ts";
import { proxyOf } from "../../http/choose-proxy.ts";
import type { PlanReport } from "../../model/generated/plan-report.ts";
import { summarizePlan } from "../../planning/plan-words.ts";
import { needsApproval, squashNotes } from "../../planning/squash-notes.ts";
import { renderPlanMarkdown } from "../../planning/render-plan-markdown.ts";
import { readCiPullRequest } from "./ci-pull-request.ts";
import { realClock } from "../../system/real-clock.ts";

/** The variable with the token that a workflow may write with. */
export const forgeTokenVariable = "ROLLCALL_FORGE_TOKEN";

/**
 * Writes the plan into the one comment of the pull request that a workflow runs for, and its summary as the status of the
 * newest commit. Returns a text that describes what was done; without a token (pull requests from forks get none) nothing is.
 * @throws E_USAGE where no pull request is named; E_FORGE_* when the forge refuses
 */
export async function postPlan(
  report: PlanReport,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const token = environment[forgeTokenVariable] ?? "";
  if (token === "") return `the plan was not written to the pull request: ${forgeTokenVariable} is not set`;
  const eventPath = environment["GITHUB_EVENT_PATH"];
  const event = eventPath === undefined ? undefined : await readFile(eventPath, "utf8");
  const { provider, repositoryUrl, apiUrl, number, headCommit } = readCiPullRequest(environment, event);
  const { namespace = "", name } = report.metadata;
  const repository = `${namespace}.${name}`;
  const forge = openForge({
    provider,
    repositoryUrl,
    ...(apiUrl === undefined ? {} : { apiUrl }),
    token,
    proxyUrl: (address) => proxyOf(address, environment),
    clock: realClock,
  });
  try {
    const squashMessage = needsApproval(report.budget) ? await forge.readSquashMessage(number, signal) : undefined;
    const withNotes = { ...report, notes: [...report.notes, ...squashNotes(report.budget, squashMessage)] };
    const outcome = await forge.writePlanComment(
      {
        pullRequest: number,
        repository,
        base: report.base ?? headCommit,
        head: headCommit,
        markdown: renderPlanMarkdown(withNotes),
      },
      signal,
    );
    const status: CommitStatus = {
      context: statusContext(repository),
      state: report.counts.errors > 0 ? "failure" : report.counts.withheld > 0 ? "pending" : "success",
      description: `Plan: ${summarizePlan(report)}`,
    };
    await forge.setCommitStatus(headCommit, status, signal);
    return `the comment of pull request ${number} was ${outcome}`;
  } catch (error) {
    // A pull request from a fork gets a token that may only read: its plan is in the log.
    if (!isAppError(error, "E_FORGE_FORBIDDEN")) throw error;
    return `the plan was not written to the pull request: ${describeError(error)}`;
  } finally {
    await forge.close();
  }
}
