/** A comment, and the shortest one: some readers of HTML do not end it earlier. */
const commentStart = "<!--";
const commentEnd = "-->";

/**
 * Elements of HTML that begin a block of raw HTML in Markdown, and elements whose content forges drop, fold or draw.
 * Source: CommonMark 0.31, "HTML blocks"; HTML, "Rendering"; GitHub, GitLab and Gitea, their sanitizers.
 */
const elements =
  "address|applet|article|aside|audio|base|basefont|blockquote|body|canvas|caption|center|col|colgroup|datalist|dd|details|dialog|dir|div|dl|dt|embed|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|math|menu|menuitem|meta|meter|nav|noembed|noframes|noscript|object|ol|optgroup|option|p|param|picture|plaintext|pre|progress|rp|rt|script|search|section|select|source|style|summary|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|track|ul|video|xmp";

const tagOfElement = new RegExp(`<\\/?(?:${elements})(?![a-z0-9-])`, "iu");

/** A line that opens or closes a fenced block: its marks, and what follows them. */
const fenceLine = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/u;

/** An address in angle brackets, or a name in square brackets that is no link: `bot[bot] <1+bot[bot]@example.com>`. */
const harmlessBrackets = /<[^\s<>"'`()@]+@[^\s<>"'`()@]+>|<https?:\/\/[^\s<>"'`()]+>|\[[\w-]+\](?![(:[])/gu;

/**
 * True when a forge that shows a message as Markdown may not show a line of its last paragraph: `above` is what precedes
 * that paragraph, `before` are the lines of the paragraph before the line. It need not be certain, and names only what can
 * begin before the line: comments, raw HTML, fences of a diagram or a formula, titles of links. Linear in the text.
 */
export function isHiddenLine(above: readonly string[], before: readonly string[]): boolean {
  const lines = [...above, ...before];
  const text = lines.join("\n");
  return (
    isLeftOpen(text) ||
    tagOfElement.test(text) ||
    lines.some((line) => /^[\s>]*\$\$/u.test(line)) ||
    isInFence(lines, "`") ||
    isInFence(lines, "~") ||
    before.some((line) => /[<[$]/u.test(line.replaceAll(harmlessBrackets, "")))
  );
}

/** True when a comment or a declaration of HTML begins in the text and may not end there. */
function isLeftOpen(text: string): boolean {
  const comment = text.lastIndexOf(commentStart);
  if (comment >= 0 && text.lastIndexOf(commentEnd) < comment + commentStart.length) return true;
  return Math.max(text.lastIndexOf("<!"), text.lastIndexOf("<?")) > text.lastIndexOf(">");
}

/**
 * True when a fenced block with a language may be open behind the lines: a diagram or a formula is drawn and has comments. What
 * closes each block that may be open is as long as the longest marks.
 */
function isInFence(lines: readonly string[], mark: "`" | "~"): boolean {
  const fences = lines.flatMap((line) => {
    const [, marks = "", language = ""] = fenceLine.exec(line) ?? [];
    return marks.startsWith(mark) ? [{ length: marks.length, isBare: language.trim() === "" }] : [];
  });
  const longest = fences.reduce((most, { length }) => Math.max(most, length), 0);
  const close = fences.findLastIndex(({ length, isBare }) => isBare && length === longest);
  return fences.slice(close + 1).some(({ isBare }) => !isBare);
}
