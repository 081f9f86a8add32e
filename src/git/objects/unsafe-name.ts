import { trimEndOf } from "../../core/trim-characters.ts";

// Characters that some file systems ignore within names. Source: git, utf8.c, is_hfs_dotgit.
const ignoredByHfs = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/** Most names, which need no further check: nothing in them has a meaning to any file system. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/u;

/**
 * True for a name in a tree that must never reach a file system: empty, `.`, `..`, `.git` and what NTFS or HFS+ take for
 * it, or one with a slash, backslash, control character or a replacement character (bytes that were not UTF-8).
 * Source: git, read-cache.c, verify_path.
 */
export function isUnsafeName(name: string): boolean {
  if (plainName.test(name)) return false;
  if (name === "" || hasForbiddenCharacter(name)) return true;
  const visible = name.replace(ignoredByHfs, "");
  const base = trimEndOf((visible.split(":")[0] ?? "").toLowerCase(), ". ");
  return visible === "." || visible === ".." || base === ".git" || /^\.?git~\d+$/u.test(base);
}

function hasForbiddenCharacter(name: string): boolean {
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f || character === "/" || character === "\\" || code === 0xfffd) return true;
  }
  return false;
}
