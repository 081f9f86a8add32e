import { printable } from "./printable.ts";

/** Has no width; separates what forges would link or notify by. */
const nothing = "&#8203;";

/**
 * Text from files, agents or users as prose within Markdown (also in a table): nothing of it becomes markup or HTML, no
 * user is mentioned, nothing is linked, no command of a forge is run, and it stays on one line.
 */
export function escapeMarkdown(text: string): string {
  return (
    printable(text.replaceAll(/[\s\u0000-\u001f\u007f]+/gu, " "))
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll(/[\\`*_[\]#!|~$]/gu, "\\$&")
      // A list, a heading or, at GitLab, a command, when the text is at the start of a line.
      .replace(/^(\s*\d*)([-+=./)])/u, "$1\\$2")
      // Forges search for these in the rendered text, which has no backslashes.
      .replaceAll(/(?:[@#!$%~]|&amp;)(?=[\p{L}\p{N}_])/gu, `$&${nothing}`)
      // `GH-26` is an issue at GitHub, and `ABC-12` one of a tracker that a forge is connected with.
      .replaceAll(/(?<![\p{L}\p{N}])(?:[Gg][Hh]|[A-Z][A-Z0-9]*)-(?=\d)/gu, `$&${nothing}`)
      .replaceAll("://", `:${nothing}//`)
      .replaceAll(/www\./giu, (match) => `${match.slice(0, -1)}${nothing}.`)
  );
}

/** A name, a path or a value from outside as code within Markdown: shown as it is, in one line, and linked to nothing. */
export function markdownCode(text: string): string {
  const line = printable(text.replaceAll(/[\r\n\t]+/gu, " "));
  // As entities, marks neither end the code nor a cell of a table.
  const escaped = line.replaceAll(/[^\p{L}\p{N}\p{M} ]/gu, (mark) => `&#${mark.codePointAt(0) ?? 32};`);
  return `<code>${escaped}</code>`;
}
