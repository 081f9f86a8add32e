import { ownValue } from "../core/own-value.ts";

/** What a forge builds the message of a squashed commit from. */
export interface SquashSource {
  /** Of the pull request. */
  readonly title: string;
  readonly body: string;
  /** Its commits, oldest first. */
  readonly commits: readonly { readonly message: string; readonly author: string }[];
}

/**
 * The message that GitHub proposes for a squash, by the repository's setting; undefined when it is not known.
 * Source: GitHub, REST API, "Repositories", `squash_merge_commit_message`. For commits of several authors lines are added.
 */
export function gitHubSquashMessage(setting: string | undefined, source: SquashSource): string | undefined {
  const { title, body, commits } = source;
  if (hasSeveralAuthors(source)) return undefined;
  switch (setting) {
    case "PR_BODY":
      return `${title}\n\n${body}`;
    case "BLANK":
      return title;
    case "COMMIT_MESSAGES": {
      const [first, ...others] = commits;
      if (first && others.length === 0) return first.message;
      return `${title}\n\n${commits.map(({ message }) => `* ${message.trimEnd()}`).join("\n\n")}`;
    }
    default:
      return undefined;
  }
}

/**
 * The message that Gitea and Forgejo propose for a squash, unless the server is set to take the commits' messages or the
 * repository has a template. Source: Gitea, services/pull, GetSquashMergeCommitMessages.
 */
export function giteaSquashMessage(source: SquashSource): string | undefined {
  return hasSeveralAuthors(source) ? undefined : `${source.title}\n\n${source.body}`;
}

/** Variables of a template that are one line at most, and none of the request's text. */
const shortVariables = /%\{(?:reference|local_reference|url|source_branch|target_branch|issues)\}/gu;

/**
 * The message that GitLab proposes for a squash, by the project's template; undefined when it depends on more than the
 * text of the request. Source: GitLab, "Commit message templates": without a template it is the title.
 */
export function gitLabSquashMessage(template: string | undefined, source: SquashSource): string | undefined {
  // A request of one commit is not squashed, or is, by version.
  if (source.commits.length < 2) return undefined;
  const text = (template === undefined || template === "" ? "%{title}" : template).replaceAll(shortVariables, "-");
  const known: Readonly<Record<string, string>> = { "%{title}": source.title, "%{description}": source.body };
  const variables = text.match(/%\{\w+\}/gu) ?? [];
  if (variables.some((variable) => !Object.hasOwn(known, variable))) return undefined;
  return text.replaceAll(/%\{\w+\}/gu, (variable) => ownValue(known, variable) ?? "");
}

function hasSeveralAuthors({ commits }: SquashSource): boolean {
  return new Set(commits.map(({ author }) => author)).size > 1;
}
