/** One command or one YAML document of a text. */
export interface Block {
  readonly kind: "shell" | "yaml";
  /** Of its first line, from 1. */
  readonly line: number;
  /** As a person types it: without the prompt, with the indentation that a copy of the page lost. */
  readonly text: string;
}

const yamlStart = /^(?:kind|apiVersion): \S/u;
const yamlLine = /^(?:\s+\S.*|#.*|-(?: .*)?|[\w./-]+:(?: .*)?)$/u;
const command = /^(?:\$ )?(?:(?:kubectl|helm|curl|git|chmod|export|while) [-+\w$!.]|\.\/\w|[A-Z_]{3,}=)/u;
/** Commands that the page shows in one line with what belongs on the next: they cannot be typed unchanged. */
const folded = /cat <<EOF \| kubectl apply|^# .* export \w+=/u;

/** Takes every command and every YAML document out of the text of a page. What is neither is prose, or output. */
export function extractBlocks(text: string): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const first = lines[at] ?? "";
    const start = at;
    if (yamlStart.test(first)) {
      while (yamlLine.test(lines[at + 1] ?? "")) at += 1;
      blocks.push({ kind: "yaml", line: start + 1, text: restoreIndentation(lines.slice(start, at + 1)) });
    } else if (command.test(first) || folded.test(first)) {
      while ((lines[at] ?? "").endsWith("\\")) at += 1;
      const typed = lines.slice(start, at + 1).join("\n");
      blocks.push({ kind: "shell", line: start + 1, text: typed.replace(/^\$ /u, "") });
    }
  }
  return blocks;
}

/** Of a document that lost it: sections below the top level, and the maps that are below those. */
function restoreIndentation(lines: readonly string[]): string {
  if (lines.some((line) => /^\s/u.test(line))) return `${lines.join("\n")}\n`;
  let depth = 0;
  const restored = lines.map((line) => {
    if (/^(?:apiVersion|kind|metadata|spec|data|status):/u.test(line)) depth = 0;
    const indented = `${" ".repeat(depth)}${line}`;
    if (line.endsWith(":")) depth += 2;
    return indented;
  });
  return `${restored.join("\n")}\n`;
}
