import { sha256Hex } from "../core/digest.ts";
import type { Commit } from "../git/git.ts";
import { isUserAddress } from "../planning/written-by.ts";
import { hubTrailer } from "./change-message.ts";
import { statusAuthor } from "./status-branches.ts";

/** Who keeps a branch of proposed files: other hubs, and other Repositories of this hub, may follow the same git repository. */
export interface BranchOwner {
  readonly hubId: string;
  /** `<namespace>.<name>` of the Repository. */
  readonly repository: string;
}

/** Who made a commit. Unmarked: Rollcall, of a version whose commits do not name their owner. */
export type CommitMaker = "Owner" | "OtherOwner" | "Unmarked" | "Person";

const repositoryTrailer = "Rollcall-Repository";

/** The message with trailers that name the owner, each of them once. */
export function withOwner(message: string, { hubId, repository }: BranchOwner): string {
  const text = message.trimEnd();
  const lines = text.split("\n");
  const missing = [`${hubTrailer}: ${hubId}`, `${repositoryTrailer}: ${repository}`].filter(
    (line) => !lines.includes(line),
  );
  if (missing.length === 0) return message;
  const lastLines = lines.slice(lines.lastIndexOf("") + 1);
  const hasTrailers = lines.includes("") && lastLines.every((line) => /^[A-Z][A-Za-z-]*: /u.test(line));
  return `${text}${hasTrailers ? "\n" : "\n\n"}${missing.join("\n")}\n`;
}

/** A commit of an earlier version that names the hub alone is of the owner: such a hub had one name for each branch. */
export function makerOf({ author, message }: Pick<Commit, "author" | "message">, owner: BranchOwner): CommitMaker {
  if (author.email !== statusAuthor.email && !isUserAddress(author.email)) return "Person";
  const lines = message.split("\n");
  const hubs = lines.filter((line) => line.startsWith(`${hubTrailer}: `));
  const repositories = lines.filter((line) => line.startsWith(`${repositoryTrailer}: `));
  if (hubs.length === 0) return "Unmarked";
  const isOwn =
    hubs.every((line) => line === `${hubTrailer}: ${owner.hubId}`) &&
    repositories.every((line) => line === `${repositoryTrailer}: ${owner.repository}`);
  return isOwn ? "Owner" : "OtherOwner";
}

/** True for the commits of a branch that another owner keeps. A merge of the followed branch may bring commits of others. */
export function isOfOther(makers: readonly CommitMaker[]): boolean {
  return makers.includes("OtherOwner") && !makers.includes("Owner");
}

/** True when no person and no other owner worked on the branch. */
export function isOursAlone(makers: readonly CommitMaker[]): boolean {
  return makers.every((maker) => maker === "Owner" || maker === "Unmarked");
}

/** The name of a branch where another owner has the plain one. No name of Kubernetes has an underscore. */
export function markedName(name: string, { hubId, repository }: BranchOwner): string {
  return `${name}_${sha256Hex(`${hubId} ${repository}`).slice(0, 12)}`;
}
