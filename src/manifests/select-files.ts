import { appendAll } from "../core/append-all.ts";
import { errorCodes } from "../core/error-codes.ts";
import type { PathPatterns } from "../core/path-patterns.ts";
import { compilePathPatterns, compilePaths } from "../core/path-patterns.ts";
import { readRightsRemedy } from "../core/unreadable.ts";
import type { Problem } from "../model/problem.ts";
import { errorsFirst } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import { maxFileBytes } from "./decode-text.ts";

/** Lists what is not read, in the root of the repository, with the rules of .gitignore. */
export const ignoreFileName = ".rollcallignore";

/** Files of one repository that are read. */
export const maxFiles = 100_000;

/** Bytes of an ignore file; more is refused. */
export const maxIgnoreBytes = 64 * 1024;

/** What its patterns may cost: a hundred with wildcards for 40,000 YAML and JSON files. It takes a second or two. */
const maxIgnoreSteps = 100_000_000;

const maxPathLength = 1024;
const maxPathProblems = 100;

/** A file of a tree, as git or a work tree has it. */
export interface TreeEntry {
  /** With forward slashes, relative to the root. */
  readonly path: string;
  /** `folder`: its files could not be listed. */
  readonly mode: "file" | "executable" | "link" | "submodule" | "folder";
  /** True when who read the tree found a name in it that must never reach a file system. */
  readonly isUnsafe?: boolean;
}

export interface SelectOptions {
  /** Folders or patterns of Repository.spec.paths; unset means the whole tree, as `.` does. */
  readonly paths?: readonly string[];
  /** The text of the ignore file, if there is one. */
  readonly ignoreText?: string;
}

export interface FileSelection<T> {
  readonly files: readonly T[];
  /** The first ones, errors before warnings. */
  readonly problems: readonly Problem[];
  /** Files that may declare objects and are not read, for an error of their path. Each of them, however many they are. */
  readonly refused: readonly string[];
}

/** The ignore file of a tree, if it has one; a link is none, nor is one of two of that name. */
export function findIgnoreFile<T extends TreeEntry>(entries: readonly T[]): T | undefined {
  return entries.find(({ path, mode, isUnsafe }) => {
    return path === ignoreFileName && (mode === "file" || mode === "executable") && isUnsafe !== true;
  });
}

/** In the place of the text of an ignore file that is too large to be read: {@link selectFiles} refuses it. */
export const overlongIgnoreText = " ".repeat(maxIgnoreBytes + 1);

/** True for files that are read at all: YAML, and JSON since it is YAML. */
export function isManifestPath(path: string): boolean {
  return /\.(?:ya?ml|json)$/iu.test(path);
}

/**
 * Chooses the files of a tree that are ours to read. Links and unsafe names are problems, never followed (E_SYMLINK,
 * E_UNSAFE_PATH); a link without extension, which may be a folder, and a submodule give warnings. More than
 * {@link maxFiles} files are none at all (E_TOO_MANY_FILES): half a fleet would be worse. An ignore file that is too large,
 * or whose patterns cost more than `maximumSteps`, ignores nothing (E_FILE_TOO_LARGE).
 */
export function selectFiles<T extends TreeEntry>(
  entries: readonly T[],
  { paths, ignoreText = "" }: SelectOptions,
  maximumSteps = maxIgnoreSteps,
): FileSelection<T> {
  const isIncluded = paths === undefined ? everything : compilePaths(paths);
  if (ignoreText.length > maxIgnoreBytes) {
    const size = `the file has more than ${maxIgnoreBytes / 1024} KiB`;
    return chooseFiles(entries, isIncluded, ignoreNothing(`${size}; nothing is ignored`));
  }
  const patterns = compilePathPatterns(ignoreText.replace(/^\ufeff/u, "").split("\n"));
  const isTooCostly = (): boolean => patterns.steps > maximumSteps;
  const chosen = chooseFiles(entries, isIncluded, { patterns, isTooCostly, problems: [] });
  if (!isTooCostly()) return chosen;
  const cost = "its patterns take too many comparisons with the paths of the repository";
  return chooseFiles(entries, isIncluded, ignoreNothing(`${cost}; nothing is ignored`));
}

interface Ignored {
  readonly patterns: PathPatterns;
  readonly problems: readonly Problem[];
  /** True as soon as what was chosen counts for nothing. Default: never. */
  readonly isTooCostly?: () => boolean;
}

function ignoreNothing(message: string): Ignored {
  const problem = problemAt(ignoreFileName, { code: "E_FILE_TOO_LARGE", message, fix: "Use fewer, wider patterns." });
  return { patterns: compilePathPatterns([]), problems: [problem] };
}

function chooseFiles<T extends TreeEntry>(
  entries: readonly T[],
  isIncluded: Pick<PathPatterns, "matches">,
  { patterns, problems: before, isTooCostly = () => false }: Ignored,
): FileSelection<T> {
  const files: T[] = [];
  const problems: Problem[] = before.slice();
  for (const entry of entries) {
    if (isTooCostly()) break;
    const { path, mode } = entry;
    const isPlain = path.length <= maxPathLength && plainPath.test(path);
    const isTreacherous = !isPlain && (path.length > maxPathLength || hasTreacherousPart(path));
    const isManifest = isManifestPath(path);
    const isOther = !isManifest && path !== ignoreFileName && (mode === "file" || mode === "executable");
    if (!isTreacherous && (isOther || !isIncluded.matches(path) || patterns.matches(path))) continue;
    if (mode === "folder") {
      if (!patterns.matchesFolder(path))
        problems.push(unread(path, "the folder cannot be read; its files were not checked"));
      continue;
    }
    const isMarked = isTreacherous || entry.isUnsafe === true;
    const unsafe = isPlain && !isMarked ? undefined : unsafeReason(path, isMarked);
    if (unsafe !== undefined) {
      if (isManifest || isTreacherous || path === ignoreFileName) problems.push(unsafePath(path, unsafe));
    } else if (mode === "link") {
      appendAll(problems, linkProblems(path, isManifest));
    } else if (mode === "submodule") {
      problems.push(submoduleProblem(path));
    } else if (isManifest) {
      files.push(entry);
    }
  }
  const refused = problems.flatMap(({ severity, file }) => (severity === "error" ? [file] : []));
  if (files.length <= maxFiles) return { files, problems: bounded(problems), refused };
  const tooMany = problemAt(".", {
    code: "E_TOO_MANY_FILES",
    message: `the repository has ${files.length} YAML and JSON files, at most ${maxFiles} are read; none was`,
  });
  return { files: [], problems: [tooMany, ...bounded(problems)], refused };
}

/** The parsed file for a file that was not read because of its size. */
export function tooLargeFile(path: string, blobId: string): ParsedFile {
  const message = `the file has more than the ${maxFileBytes / 1024} KiB that are read; nothing in it was checked`;
  const fix = `Split it into several files, or list it in ${ignoreFileName} when it declares nothing of the fleet.`;
  return uncheckedFile(blobId, problemAt(path, { code: "E_FILE_TOO_LARGE", message, fix }));
}

/** The parsed file for a file that this user may not read, or that the disk does not give. */
export function unreadFile(path: string, reason: string): ParsedFile {
  return uncheckedFile("", unread(path, `${reason}; nothing in it was checked`));
}

function uncheckedFile(blobId: string, problem: Problem): ParsedFile {
  const { file: path } = problem;
  return { path, blobId, text: "", documents: [], problems: [problem], isUnidentified: true, brokenObjects: [] };
}

function unread(path: string, message: string): Problem {
  const fix = `${readRightsRemedy(path)}. Or list it in ${ignoreFileName} when it declares nothing of the fleet.`;
  return problemAt(path, { code: "E_READ", message, fix });
}

/** Most paths, which need no further check: nothing in them has a meaning to git or to any file system. */
const plainPath = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_][A-Za-z0-9_-]*)*$/u;

const everything: Pick<PathPatterns, "matches"> = { matches: () => true };

/** Parts that git itself or a file system takes for something else. */
function hasTreacherousPart(path: string): boolean {
  if (path.startsWith("/") || path.includes("\0") || /^[A-Za-z]:/u.test(path)) return true;
  // ".git" as file systems of other systems read it: any case, a short name, trailing dots and spaces, ignorable marks.
  const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
  return path
    .split("/")
    .some((part) => part === "" || /^(?:\.{1,2}|\.git[. ]*|git~\d+)$/iu.test(part.replace(ignorable, "")));
}

function unsafeReason(path: string, isMarked: boolean): string | undefined {
  if (path.length > maxPathLength) return `it has more than ${maxPathLength} characters`;
  if (path.includes("\\")) return "it has a backslash";
  if (/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(path)) return "it has a control character";
  if (path.includes("\ufffd")) return "it is not UTF-8";
  return isMarked ? "a part of it has a special meaning, or stands in its folder more than once" : undefined;
}

function unsafePath(path: string, reason: string): Problem {
  return problemAt(path.slice(0, maxPathLength), {
    code: "E_UNSAFE_PATH",
    message: `the file was not read because of its path: ${reason}`,
  });
}

function linkProblems(path: string, isManifest: boolean): Problem[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!isManifest && name.slice(1).includes(".")) return [];
  if (!isManifest) {
    const message = "this is a symbolic link; if it leads to a folder, the files there are not read through it";
    return [problemAt(path, { code: "E_SYMLINK", severity: "warning", message })];
  }
  const message = "the file is a symbolic link; links are never followed";
  const fix = `${errorCodes.E_SYMLINK.remedy} If it declares nothing of the fleet, list it in ${ignoreFileName}.`;
  return [problemAt(path, { code: "E_SYMLINK", message, fix })];
}

function submoduleProblem(path: string): Problem {
  const message = "this is a submodule, or a clone of another repository; its files are not read";
  const fix = `Make it a Repository of its own, or list it in ${ignoreFileName}.`;
  return problemAt(path, { code: "E_UNSUPPORTED", severity: "warning", message, fix });
}

function problemAt(file: string, parts: Pick<Problem, "code" | "message"> & Partial<Problem>): Problem {
  return { severity: "error", file, line: 1, column: 1, ...parts };
}

function bounded(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= maxPathProblems) return problems;
  const ordered = errorsFirst(problems);
  const last = ordered[maxPathProblems - 1];
  if (last === undefined) return ordered;
  const more = problems.length - maxPathProblems;
  const rest = { ...last, message: `${last.message}; and ${more} more files have problems with their paths` };
  return [...ordered.slice(0, maxPathProblems - 1), rest];
}
