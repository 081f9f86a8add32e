import type { YAMLError } from "yaml";

interface Explanation {
  readonly message: string;
  readonly fix?: string;
}

const quoteIt = "Put the whole value in quotes.";

/** Plain texts for the parser's codes. Its own texts may quote the file, which may hold secrets. */
const explanations: Readonly<Record<YAMLError["code"], Explanation>> = {
  ALIAS_PROPS: { message: "an alias (*name) has an anchor or a tag" },
  BAD_ALIAS: { message: "an anchor or alias has no usable name", fix: "Write the value out instead." },
  BAD_COLLECTION_TYPE: { message: "a tag (!) does not fit its value", fix: "Delete the tag." },
  BAD_DIRECTIVE: { message: "a line that starts with % is not understood", fix: "Delete the line." },
  BAD_DQ_ESCAPE: {
    message: "a backslash in double quotes starts an escape that does not exist",
    fix: "Double the backslash, or use single quotes.",
  },
  BAD_INDENT: {
    message: "the indentation does not fit the lines above",
    fix: "Let all keys of one map, and all items of one list, start in the same column.",
  },
  BAD_PROP_ORDER: { message: "an anchor or tag is in the wrong place" },
  BAD_SCALAR_START: { message: "a value without quotes cannot start with this character", fix: quoteIt },
  BLOCK_AS_IMPLICIT_KEY: {
    message: "the line has a second `key: value` in it",
    fix: "Put the value in quotes when it contains a colon; if it does not, the line below is indented too far.",
  },
  BLOCK_IN_FLOW: {
    message: "a map or list by indentation is inside brackets",
    fix: "Write it with brackets too, or the outer one without.",
  },
  DUPLICATE_KEY: { message: "a key occurs twice in one map" },
  IMPOSSIBLE: { message: "the text cannot be read here" },
  KEY_OVER_1024_CHARS: { message: "a key is longer than 1024 characters" },
  MISSING_CHAR: {
    message: "something is missing here: a colon with a space behind a key, a comma, or a space before a comment",
    fix: "Write `key: value`, one per line.",
  },
  MULTILINE_IMPLICIT_KEY: {
    message: "a key spans more than one line",
    fix: "Check the line above: it may lack its colon, its quote or its indentation.",
  },
  MULTIPLE_ANCHORS: { message: "a value has two anchors (&)" },
  MULTIPLE_DOCS: { message: "a second document starts here" },
  MULTIPLE_TAGS: { message: "a value has two tags (!)" },
  NON_STRING_KEY: { message: "a key is not text", fix: "Put the key in quotes." },
  RESOURCE_EXHAUSTION: { message: "values are nested too deeply", fix: "Make the structure flatter." },
  TAB_AS_INDENT: { message: "a tab is used as indentation", fix: "Use spaces: YAML does not allow tabs here." },
  TAG_RESOLVE_FAILED: {
    message: "a tag (!) is not known; only plain values are read",
    fix: "Delete the tag, or put the value in quotes.",
  },
  UNEXPECTED_TOKEN: {
    message: "this does not belong here",
    fix: "Check indentation, brackets and quotes of this line and the one above.",
  },
};

const noColon: Explanation = {
  message: "the line has no colon, so it is no `key: value`",
  fix: "Write the colon and a space behind the key, or indent the line if it belongs to the value above.",
};

const noSpace: Explanation = {
  message: "a space is missing behind the colon",
  fix: "Write `key: value`.",
};

/** Editors accept such comments in JSON. YAML takes one for text of the key below it. */
export const slashComment: Explanation = {
  message: "a comment with // or /* is neither YAML nor JSON",
  fix: "Delete the comment.",
};

/** True for text that such a comment begins. */
export function isSlashComment(text: string): boolean {
  return /^\s*\/[/*]/u.test(text);
}

/** Explains an error code of the parser on this line in a plain text. */
export function explainYamlError(code: YAMLError["code"], line: string): Explanation {
  if (code === "MULTILINE_IMPLICIT_KEY" || code === "MISSING_CHAR") {
    if (isSlashComment(line)) return slashComment;
    if (!line.includes(":")) return noColon;
    if (/^\s*(?:- +)?[\w./-]+:[^\s/]/u.test(line)) return noSpace;
  }
  if (code === "UNEXPECTED_TOKEN" && /[\]}]\s*\/[/*]/u.test(line)) return slashComment;
  return explanations[code];
}
