import { shortCommit } from "../core/short-commit.ts";
import type { PlanComment } from "./forge.ts";

/** The content of the first line of our comment, hidden from readers. */
export interface PlanMarker {
  readonly repository: string;
  readonly base: string;
  readonly head: string;
  readonly isVoid: boolean;
}

const form = /^<!-- rollcall:plan repository=(\S+) base=([0-9a-f]{7,64}) head=([0-9a-f]{7,64})( void)? -->$/u;

/** The marker of a comment that is a plan; undefined for any other. */
export function readPlanMarker(body: string): PlanMarker | undefined {
  const [firstLine = ""] = body.split(/\r?\n/u, 1);
  const [, repository, base, head, isVoid] = form.exec(firstLine.trim()) ?? [];
  if (repository === undefined || base === undefined || head === undefined) return undefined;
  return { repository, base, head, isVoid: isVoid !== undefined };
}

/** The whole comment. It is at most `maximumLength` characters long. */
export function renderPlanComment(comment: PlanComment, maximumLength: number): string {
  const marker = markerLine({ ...comment, isVoid: false });
  return `${marker}\n${cutMarkdown(comment.markdown, maximumLength - marker.length - 1)}`;
}

/**
 * The same comment, marked as void: its base branch has moved to `base`. Undefined when it is already marked, or was
 * made for that very base.
 */
export function voidPlanComment(body: string, base: string, maximumLength: number): string | undefined {
  const marker = readPlanMarker(body);
  if (marker === undefined || marker.isVoid || marker.base === base) return undefined;
  const [, ...lines] = body.split(/\r?\n/u);
  const head = [
    markerLine({ ...marker, isVoid: true }),
    `> **This plan is void.** The target branch has moved from ${shortCommit(marker.base)} to ${shortCommit(base)} since it was made.`,
    "> What a merge will do may be something else; a new plan takes this one's place.",
    "",
    "<details><summary>The void plan</summary>",
    "",
  ].join("\n");
  const tail = "\n\n</details>";
  return `${head}\n${cutMarkdown(lines.join("\n"), maximumLength - head.length - tail.length - 1)}${tail}`;
}

function markerLine({ repository, base, head, isVoid }: PlanMarker): string {
  return `<!-- rollcall:plan repository=${markerName(repository)} base=${base} head=${head}${isVoid ? " void" : ""} -->`;
}

/** The marker's form of a Repository's name: a blank or a `>` would end the marker. */
export function markerName(repository: string): string {
  return repository.replaceAll(/[^\w.-]/gu, "_");
}

const cutNote =
  "\n\n**The plan is longer than a comment may be and was cut here.** Run `rollcall plan` to see all of it.";

/** Markdown of at most `maximumLength` characters, cut at the end of a line, with what was open closed. */
export function cutMarkdown(markdown: string, maximumLength: number): string {
  if (markdown.length <= maximumLength) return markdown;
  // Room to close what was open.
  const room = Math.max(0, maximumLength - cutNote.length - 200);
  const end = markdown.lastIndexOf("\n", room);
  const kept = markdown.slice(0, end > 0 ? end : 0);
  const fences = kept.split("\n").filter((line) => /^\s*(?:```|~~~)/u.test(line));
  const fence = fences.length % 2 === 1 ? `\n${fences.at(-1)?.trim().startsWith("~") ? "~~~" : "```"}` : "";
  const opened = kept.split("<details").length - kept.split("</details>").length;
  const closed = "\n</details>".repeat(Math.min(10, Math.max(0, opened)));
  return `${kept}${fence}${closed}${cutNote}`;
}
