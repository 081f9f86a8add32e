import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveInput } from "./give-input.ts";
import { spawnSmall } from "./spawn-small.ts";
import type { LooseChange } from "./write-loose-commit.ts";
import { LooseFolder } from "./write-loose-commit.ts";

export interface TestFile {
  readonly content: string | Uint8Array;
  readonly mode?: "100644" | "100755" | "120000" | "160000";
}

export interface TestCommit {
  readonly branch?: string;
  /** Null removes. A string is a regular file. */
  readonly files: Readonly<Record<string, string | TestFile | null>>;
  readonly message?: string;
  /** The first parent; default the branch's head, null for a commit without one. */
  readonly from?: string | null;
  readonly merge?: readonly string[];
  readonly committedAtSeconds?: number;
}

/** A repository made and evaluated by native git. */
export interface TestRepository {
  readonly path: string;
  git(...args: string[]): Promise<string>;
  gitWithInput(input: string | Uint8Array, ...args: string[]): Promise<string>;
  /** Makes a commit and moves the branch to it (backwards too). Returns its id. */
  commit(commit: TestCommit): Promise<string>;
  head(branch?: string): Promise<string | undefined>;
  /** Fails unless `git fsck --strict` finds nothing. */
  assertSound(): Promise<void>;
  /** The paths of a commit, or of a branch's head. */
  fileNames(commit: string): Promise<string[]>;
}

const fixedEnvironment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.org",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.org",
};

/** Runs native git with an environment of its own; rejects with what it printed when it fails. */
export async function runGit(
  cwd: string,
  args: readonly string[],
  options: { readonly input?: string | Uint8Array; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const child = await spawnSmall({
    command: "git",
    args,
    cwd,
    env: { ...fixedEnvironment, ...options.env },
    onOutput: (chunk) => out.push(chunk),
    onErrorOutput: (chunk) => err.push(chunk),
  });
  giveInput(child.stdin, options.input);
  const code = await child.ended;
  if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${Buffer.concat(err).toString()}`);
  return Buffer.concat(out).toString();
}

/** A temporary folder, and how to remove it. */
export async function makeTempFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "rollcall-git-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A new empty repository at `path`, as `git init` makes it: that of SHA-1 without git, since to start a process costs more. */
export async function createRepository(
  path: string,
  { isBare = true, objectFormat = "sha1" } = {},
): Promise<TestRepository> {
  const folder = isBare ? path : join(path, ".git");
  if (objectFormat === "sha1") {
    for (const name of ["branches", "hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"])
      await mkdir(join(folder, name), { recursive: true });
    const core = ["repositoryformatversion = 0", "filemode = true", `bare = ${isBare}`];
    if (!isBare) core.push("logallrefupdates = true");
    await writeFile(join(folder, "config"), `[core]\n${core.map((line) => `\t${line}\n`).join("")}`);
    await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n");
  } else {
    const flags = ["-q", "-b", "main", `--object-format=${objectFormat}`, ...(isBare ? ["--bare"] : [])];
    await runGit("/", ["init", ...flags, path]);
  }
  await appendFile(join(folder, "config"), "[gc]\n\tauto = 0\n");
  return repositoryAt(path);
}

/** A repository that is there already. */
export function repositoryAt(path: string): TestRepository {
  const git = (...args: string[]): Promise<string> => runGit(path, args);
  const gitWithInput = (input: string | Uint8Array, ...args: string[]): Promise<string> =>
    runGit(path, args, { input });
  const head = async (branch = "main"): Promise<string | undefined> => {
    const loose = await readLooseRef(path, branch);
    if (loose !== undefined) return loose === "none" ? undefined : loose;
    return (await git("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`)).trim() || undefined;
  };
  /** By commit, which never changes: who polls a branch starts git once for each head. */
  const namesOf = new Map<string, Promise<string[]>>();
  const listFiles = async (commit: string): Promise<string[]> =>
    (await git("ls-tree", "-r", "-z", "--name-only", commit)).split("\0").filter((name) => name !== "");
  return {
    path,
    git,
    gitWithInput,
    head,
    commit: async (commit) => {
      const { branch = "main" } = commit;
      const from = commit.from === undefined ? await head(branch) : (commit.from ?? undefined);
      const id = await commitInProcess(path, commit, branch, from);
      if (id !== undefined) return id;
      return (await gitWithInput(fastImportStream(commit, branch, from), "fast-import", "--quiet", "--force")).trim();
    },
    assertSound: async () => void (await git("fsck", "--strict", "--full", "--no-dangling")),
    fileNames: async (commit) => {
      const isId = (text: string): boolean => /^[0-9a-f]{40,64}$/u.test(text);
      const id = isId(commit) ? commit : ((await head(commit)) ?? commit);
      const names = namesOf.get(id) ?? listFiles(id);
      if (isId(id)) namesOf.set(id, names);
      return [...(await names)];
    },
  };
}

/**
 * The commit of a branch whose ref is a file, bare or with a work tree; "none" where no ref can be; undefined when git alone can
 * tell. To start a process costs more than all else here, the more the larger this one is.
 */
async function readLooseRef(path: string, branch: string): Promise<string | undefined> {
  const folder = await gitFolderOf(path);
  if (folder === undefined) return undefined;
  const text = await textOf(join(folder, "refs/heads", branch));
  if (text !== undefined) return /^[0-9a-f]{40,64}\n$/u.test(text) ? text.trim() : undefined;
  return (await textOf(join(folder, "packed-refs"))) === undefined ? "none" : undefined;
}

/** Where git keeps a repository, bare or with a work tree; undefined for a work tree that is linked to another. */
async function gitFolderOf(path: string): Promise<string | undefined> {
  for (const folder of [join(path, ".git"), path])
    if ((await textOf(join(folder, "HEAD"))) !== undefined) return folder;
  return undefined;
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

/** Git keeps more than this many objects of an import as a pack. */
const mostLooseFiles = 50;

/** A small commit without git, to the byte as git makes it; undefined where that takes git: over packed objects, or with SHA-256. */
async function commitInProcess(
  path: string,
  commit: TestCommit,
  branch: string,
  from: string | undefined,
): Promise<string | undefined> {
  const { files, merge = [] } = commit;
  const parents = [...(from === undefined ? [] : [from]), ...merge];
  if (Object.keys(files).length > mostLooseFiles) return undefined;
  if (!parents.every((id) => /^[0-9a-f]{40}$/u.test(id))) return undefined;
  const gitFolder = (await gitFolderOf(path)) ?? "";
  if (/objectformat/iu.test((await textOf(join(gitFolder, "config"))) ?? "objectformat")) return undefined;
  try {
    const folder = new LooseFolder(gitFolder);
    const changes = Object.entries(files).map(([name, file]): LooseChange => {
      if (file === null) return { path: name };
      const { content, mode = "100644" } = typeof file === "string" ? { content: file } : file;
      return { path: name, file: { content, mode } };
    });
    const tree = await folder.writeTree(from, changes);
    const person = `Test <test@example.org> ${commit.committedAtSeconds ?? 1_800_000_000} +0000`;
    const head = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${person}`, `committer ${person}`];
    const id = await folder.write("commit", Buffer.from(`${head.join("\n")}\n\n${commit.message ?? "change"}`));
    await folder.moveBranch(branch, id);
    return id;
  } catch {
    return undefined;
  }
}

/** It prints the commit's id at its end. */
function fastImportStream(commit: TestCommit, branch: string, from: string | undefined): Buffer {
  const { files, message = "change", merge = [], committedAtSeconds = 1_800_000_000 } = commit;
  const parts: Buffer[] = [];
  const add = (text: string): number => parts.push(Buffer.from(text));
  const addData = (content: string | Uint8Array): void => {
    const bytes = Buffer.from(content);
    add(`data ${bytes.length}\n`);
    parts.push(bytes);
    add("\n");
  };
  if (from === undefined) add(`reset refs/heads/${branch}\n`);
  add(`commit refs/heads/${branch}\nmark :1\ncommitter Test <test@example.org> ${committedAtSeconds} +0000\n`);
  addData(message);
  if (from !== undefined) add(`from ${from}\n`);
  for (const id of merge) add(`merge ${id}\n`);
  for (const [path, file] of Object.entries(files)) {
    const quoted = JSON.stringify(path);
    if (file === null) {
      add(`D ${quoted}\n`);
      continue;
    }
    const { content, mode = "100644" } = typeof file === "string" ? { content: file } : file;
    if (mode === "160000") {
      add(`M 160000 ${String(content)} ${quoted}\n`);
      continue;
    }
    add(`M ${mode} inline ${quoted}\n`);
    addData(content);
  }
  add("get-mark :1\ndone\n");
  return Buffer.concat([Buffer.from("feature done\n"), ...parts]);
}
