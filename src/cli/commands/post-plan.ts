import { readFile } from "node:fs/promises";
import { describeError, isAppError } from "../../core/errors.ts";
import type { CommitStatus, Forge } from "../../forge/forge.ts";
import { statusContext } from "../../forge/forge.ts";
import { openForge } from "../../forge/open-forge.ts";
import { proxyOf } from "../../http/choose-proxy.ts";
import type { PlanReport } from "../../model/generated/plan-report.ts";
import { summarizePlan } from "../../planning/plan-words.ts";
import { needsApproval, squashNotes } from "../../planning/squash-notes.ts";
import { renderPlanMarkdown } from "../../planning/render-plan-markdown.ts";
import type { CiPullRequest } from "./ci-pull-request.ts";
import { readCiPullRequest } from "./ci-pull-request.ts";
import { realClock } from "../../system/real-clock.ts";

/** The variable with the token that a workflow may write with. */
export const forgeTokenVariable = "ROLLCALL_FORGE_TOKEN";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Writes the plan into the one comment of the pull request that a workflow runs for, and its summary as the status of the
 * newest commit. Where the comment cannot be written, the status names the reason: no reader is shown the plan. Returns a
 * text that describes what was done; without a token (pull requests from forks get none) nothing is.
 * @throws E_USAGE where no pull request is named; E_FORGE_*, E_UNSUPPORTED when the forge refuses, or has too many comments
 */
export async function postPlan(report: PlanReport, environment: Environment, signal: AbortSignal): Promise<string> {
  const { namespace = "", name } = report.metadata;
  const repository = `${namespace}.${name}`;
  return withPullRequest(environment, async (forge, { number, headCommit }) => {
    const writeComment = async () => {
      // A job that ran before, and is run again, must not replace the plan of a newer commit.
      const newest = await forge.readHeadCommit(number, signal);
      if (newest !== undefined && newest !== headCommit) return "left as it is: a newer commit was pushed";
      const squashMessage = needsApproval(report.budget) ? await forge.readSquashMessage(number, signal) : undefined;
      const notes = [...report.notes, ...squashNotes(report.budget, squashMessage)];
      const markdown = renderPlanMarkdown({ ...report, notes });
      const base = report.base ?? headCommit;
      return forge.writePlanComment({ pullRequest: number, repository, base, head: headCommit, markdown }, signal);
    };
    const [comment] = await Promise.allSettled([writeComment()]);
    const result: Pick<CommitStatus, "state" | "description"> =
      comment.status === "fulfilled"
        ? { state: stateOf(report), description: `Plan: ${summarizePlan(report)}` }
        : { state: "error", description: `The plan is in the log alone: ${describeError(comment.reason)}` };
    await forge.setCommitStatus(headCommit, { context: statusContext(repository), ...result }, signal);
    if (comment.status === "rejected") throw comment.reason;
    return `the comment of pull request ${number} was ${comment.value}`;
  });
}

/** Reports as the status of the newest commit that there is no plan, and why. Returns a text that describes what was done. */
export async function postNoPlan(
  reason: unknown,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<string> {
  return withPullRequest(environment, async (forge, { number, headCommit }) => {
    const description = `No plan: ${describeError(reason)}`;
    const context = statusContext(`${namespace}.${name}`);
    await forge.setCommitStatus(headCommit, { context, state: "error", description }, signal);
    return `the status of pull request ${number} reports that it has no plan`;
  });
}

async function withPullRequest(
  environment: Environment,
  report: (forge: Forge, pullRequest: CiPullRequest) => Promise<string>,
): Promise<string> {
  const token = environment[forgeTokenVariable] ?? "";
  if (token === "") return `the plan was not written to the pull request: ${forgeTokenVariable} is not set`;
  const eventPath = environment["GITHUB_EVENT_PATH"];
  const event = eventPath === undefined ? undefined : await readFile(eventPath, "utf8");
  const pullRequest = readCiPullRequest(environment, event);
  const { provider, repositoryUrl, apiUrl } = pullRequest;
  const forge = openForge({
    provider,
    repositoryUrl,
    ...(apiUrl === undefined ? {} : { apiUrl }),
    token,
    proxyUrl: (address) => proxyOf(address, environment),
    clock: realClock,
  });
  try {
    return await report(forge, pullRequest);
  } catch (error) {
    // A pull request from a fork gets a token that may only read: its plan is in the log.
    if (!isAppError(error, "E_FORGE_FORBIDDEN")) throw error;
    return `the plan was not written to the pull request: ${describeError(error)}`;
  } finally {
    await forge.close();
  }
}

function stateOf({ counts }: PlanReport): CommitStatus["state"] {
  if (counts.errors > 0) return "failure";
  return counts.withheld > 0 ? "pending" : "success";
}
