import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isTrueAt, numberAt, textAt, valueAt } from "../core/read-json.ts";
import type { ForgeComment } from "./forge-api.ts";
import type { PullRequest } from "./forge.ts";

/** The id of a repository, user or comment, which forges give as a number. */
export function idAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const id = valueAt(value, ...path);
  return typeof id === "number" || (typeof id === "string" && id !== "") ? String(id) : undefined;
}

/** What is kept of the text of a pull request. */
export type KeptOfBody = (body: string) => string;

/** A pull request as GitHub has it, and Gitea and Forgejo after it; undefined when it is not whole. */
export function readPullRequest(json: JsonObject, keptOfBody: KeptOfBody = () => ""): PullRequest | undefined {
  const [number, headCommit] = [numberAt(json, "number"), textAt(json, "head", "sha")];
  const [headBranch, baseBranch] = [textAt(json, "head", "ref"), textAt(json, "base", "ref")];
  if (number === undefined || headCommit === undefined || headBranch === undefined || baseBranch === undefined) {
    return undefined;
  }
  // The head's repository is null when it was deleted.
  const head = idAt(json, "head", "repo", "id") ?? positive(idAt(json, "head", "repo_id"));
  const base = idAt(json, "base", "repo", "id") ?? positive(idAt(json, "base", "repo_id"));
  // What is pushed to refs/for of Gitea and Forgejo, by all who may read, has the base repository as its head and no branch.
  const isFork = head === undefined || head !== base || headBranch.startsWith("refs/");
  return {
    number,
    title: textAt(json, "title") ?? "",
    body: isFork ? "" : keptOfBody(textAt(json, "body") ?? ""),
    url: textAt(json, "html_url") ?? "",
    headBranch,
    headCommit,
    baseBranch,
    isFork,
    isDraft: isTrueAt(json, "draft"),
  };
}

/** @throws E_FORGE_PROTOCOL */
export function noCommit(action: string): never {
  throw new AppError("E_FORGE_PROTOCOL", `${action}: the answer names none`);
}

function positive(id: string | undefined): string | undefined {
  return id !== undefined && Number(id) > 0 ? id : undefined;
}

/** A comment as GitHub has it, and Gitea and Forgejo after it; undefined for another item of their timelines. */
export function readComment(json: JsonObject): ForgeComment | undefined {
  const id = idAt(json, "id");
  if (id === undefined || (textAt(json, "type") ?? "comment") !== "comment") return undefined;
  return { id, authorId: idAt(json, "user", "id"), body: textAt(json, "body") ?? "" };
}
