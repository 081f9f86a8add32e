import { printable } from "../core/printable.ts";
import type { CommitStatus } from "./forge.ts";

/** A status whose text is one line of at most `maximumLength` characters. */
export function fitStatus(status: CommitStatus, maximumLength: number): CommitStatus {
  const line = printable(status.description.replaceAll(/\s+/gu, " ").trim());
  const characters = [...line];
  const description = characters.length > maximumLength ? `${characters.slice(0, maximumLength - 1).join("")}…` : line;
  return { ...status, description };
}

/** True when writing `wanted` would cause no visible change. */
export function isSameStatus(left: CommitStatus | undefined, wanted: CommitStatus): boolean {
  return (
    left !== undefined &&
    left.state === wanted.state &&
    left.description === wanted.description &&
    (left.targetUrl ?? "") === (wanted.targetUrl ?? "")
  );
}
