import { AppError } from "../../core/errors.ts";
import { numberAt, textAt } from "../../core/read-json.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ForgeProvider } from "../../forge/forge.ts";
import { trimEndOf } from "../../core/trim-characters.ts";

/** The pull request that a workflow runs for, from its environment. */
export interface CiPullRequest {
  readonly provider: ForgeProvider;
  readonly repositoryUrl: string;
  /** The forge's API, where the environment names it. */
  readonly apiUrl?: string;
  readonly number: number;
  /** The newest commit of the pull request's own branch. */
  readonly headCommit: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that GitHub, Gitea, Forgejo and GitLab set in workflows. `event` is the content of the file that
 * GITHUB_EVENT_PATH names.
 * Source: GitHub, default environment variables; GitLab, predefined CI/CD variables.
 * @throws E_USAGE where no pull request is named
 */
export function readCiPullRequest(environment: Environment, event: string | undefined): CiPullRequest {
  if (environment["GITLAB_CI"] === "true") return readGitLab(environment);
  if (environment["GITHUB_ACTIONS"] === "true") return readActions(environment, event);
  throw nowhere("this is no workflow of GitHub, GitLab, Gitea or Forgejo");
}

function readGitLab(environment: Environment): CiPullRequest {
  const number = Number(environment["CI_MERGE_REQUEST_IID"] || Number.NaN);
  const source = environment["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"];
  // Set for pipelines of merged results only; otherwise the pipeline runs on the branch itself.
  const headCommit = source === undefined || source === "" ? environment["CI_COMMIT_SHA"] : source;
  const apiUrl = environment["CI_API_V4_URL"];
  if (!Number.isInteger(number)) throw nowhere("CI_MERGE_REQUEST_IID is not set: let the job run for merge requests");
  return {
    provider: "GitLab",
    repositoryUrl: required(environment, "CI_PROJECT_URL"),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    number,
    headCommit: headCommit ?? required(environment, "CI_COMMIT_SHA"),
  };
}

function readActions(environment: Environment, event: string | undefined): CiPullRequest {
  const server = required(environment, "GITHUB_SERVER_URL");
  const apiUrl = environment["GITHUB_API_URL"];
  const parsed = parseEvent(event);
  const number = numberAt(parsed, "pull_request", "number") ?? numberAt(parsed, "number");
  const headCommit = textAt(parsed, "pull_request", "head", "sha");
  if (number === undefined || headCommit === undefined) {
    throw nowhere("GITHUB_EVENT_PATH names no pull request: let the job run on pull_request");
  }
  return {
    provider: providerOf(environment),
    repositoryUrl: `${trimEndOf(server, "/")}/${required(environment, "GITHUB_REPOSITORY")}.git`,
    ...(apiUrl === undefined || apiUrl === "" ? {} : { apiUrl }),
    number,
    headCommit,
  };
}

/** Gitea and Forgejo set GitHub's variables too, and one of their own. */
function providerOf(environment: Environment): ForgeProvider {
  if (environment["FORGEJO_ACTIONS"] === "true") return "Forgejo";
  return environment["GITEA_ACTIONS"] === "true" ? "Gitea" : "GitHub";
}

function parseEvent(event: string | undefined): unknown {
  if (event === undefined) return undefined;
  const parsed = parseJson(event);
  if (parsed === undefined) throw new AppError("E_USAGE", "read the file that GITHUB_EVENT_PATH names: it is no JSON");
  return parsed;
}

function required(environment: Environment, name: string): string {
  const value = environment[name];
  if (value === undefined || value === "") throw nowhere(`${name} is not set`);
  return value;
}

function nowhere(reason: string): AppError {
  return new AppError("E_USAGE", `--comment writes to the pull request that a workflow runs for, but ${reason}`);
}
