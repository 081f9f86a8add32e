import { oneOrMany } from "../../../../core/count-of.ts";
/** `1 error`, `3 errors`: a number with its noun. The plural has an s unless it is given. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${oneOrMany(number, one, many)}`;
}

/** The text of an empty fleet. */
export const howToBegin =
  "No cluster is declared yet. Commit a file with a Cluster to the repository; `rollcall add cluster NAME` writes one.";
