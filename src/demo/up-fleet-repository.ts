import { readFile, readdir, rm } from "node:fs/promises";
import * as fs from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import git from "isomorphic-git";
import type { GitEngine } from "../git/git.ts";
import { openGitEngine } from "../git/engine/open-git-engine.ts";
import { editorSchemaPath, editorSchemaText, publishedSchema } from "../manifests/editor-schema.ts";
import { realClock, realRandom } from "../system/real-clock.ts";

/** More commits than this are read of no repository: in one with so many, the number of clusters is the user's own matter. */
const mostStarts = 20;

const author = { name: "Platform team", email: "platform@example.com" } as const;

export interface FleetRepository {
  readonly path: string;
  readonly git: GitEngine;
  /** It has no commit besides those that a start of the demo made. A start may have been killed before the last of them. */
  readonly isUntouched: boolean;
  /** Commits files on top of the branch, unless they are there already. */
  addFiles(files: ReadonlyMap<string, string>, message: string): Promise<void>;
}

/** Opens the demo's bare repository. On first use it is made from the example, if one is given. */
export async function openFleetRepository(path: string, examplePath: string | undefined): Promise<FleetRepository> {
  // HEAD is written last: without it, a process that was killed made a part.
  if (!fs.existsSync(join(path, "HEAD"))) {
    await rm(join(path, "config"), { force: true });
    await git.init({ fs, gitdir: path, bare: true, defaultBranch: "main" });
  }
  const engine = await openGitEngine({
    url: path,
    cacheDir: `${path}.cache`,
    isLocalAllowed: true,
    clock: realClock,
    random: realRandom,
  });
  const addFiles = async (files: ReadonlyMap<string, string | Uint8Array>, message: string): Promise<void> => {
    const parent = await engine.fetchHead("main");
    await engine.commitAndPush({
      branch: "main",
      parent,
      changes: files,
      message,
      author,
      committedAtMs: realClock.nowMs(),
    });
  };
  const head = await engine.fetchHead("main");
  if (examplePath !== undefined && head === undefined) {
    await addFiles(withEditorSchema(await readFolder(examplePath)), "Start the fleet\n");
  }
  const commits = head === undefined ? [] : await engine.listCommits({ to: head, limit: mostStarts, isBrief: true });
  const isUntouched = commits.length < mostStarts && commits.every((commit) => commit.author.email === author.email);
  return { path, git: engine, isUntouched, addFiles };
}

async function readFolder(folder: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path).split(sep).join("/"), await readFile(path));
  }
  return files;
}

/** The files, and the schema that editors check them by: they refer to it by a relative path, so that it needs no network. */
function withEditorSchema(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, string | Uint8Array> {
  const local = [...files].map(([path, bytes]): [string, string | Uint8Array] => {
    const text = new TextDecoder().decode(bytes);
    // In the settings, a path is from the folder of the repository; in a file, from the folder of the file.
    const place = path.startsWith(".vscode/") ? `./${editorSchemaPath}` : relative(dirname(path), editorSchemaPath);
    return [
      path,
      text.includes(publishedSchema) ? text.replaceAll(publishedSchema, place.split(sep).join("/")) : bytes,
    ];
  });
  return new Map([...local, [editorSchemaPath, editorSchemaText()]]);
}
