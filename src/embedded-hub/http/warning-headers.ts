import { countCharacters } from "../../core/count-characters.ts";

/** What all texts may have together, and each of them once that is exceeded: in characters. */
const totalLimit = 4096;
const itemLimit = 256;

/**
 * `299 - "text"`, each text once. When they are too long together, each is cut, and those are left out that come after
 * the limit. Source: RFC 7234 5.5; k8s.io/apiserver, endpoints/filters/warning.go.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)];
  let total = 0;
  const firstTooMuch = texts.findIndex((text) => (total += countCharacters(text)) > totalLimit);
  if (firstTooMuch < 0) return texts.map(headerOf);
  let written = 0;
  const headers: string[] = [];
  for (const [index, text] of texts.entries()) {
    if (index > firstTooMuch && written >= totalLimit) break;
    const cut = firstCharacters(text);
    written += countCharacters(cut);
    headers.push(headerOf(cut));
  }
  return headers;
}

function firstCharacters(text: string): string {
  // No character has more than two units.
  return [...text.slice(0, 2 * itemLimit)].slice(0, itemLimit).join("");
}

function headerOf(text: string): string {
  const header = `299 - "${text.replaceAll(/[\\"]/gu, "\\$&").replaceAll(/\p{Cc}/gu, " ")}"`;
  // Node takes bytes in headers as latin1; the text is UTF-8.
  return Buffer.from(header, "utf8").toString("latin1");
}
