import { sha256Hex } from "../core/digest.ts";
import type { TreeFile } from "../git/git.ts";
import type { SourceOptions, SourceSnapshot } from "./read-source.ts";
import { hasErrors } from "./read-file.ts";

export interface ChangedSnapshot {
  readonly snapshot: SourceSnapshot;
  /** Paths among the given ones whose file the Repository does not read. */
  readonly unread: readonly string[];
}

/** The snapshot with other texts of some files; null takes a file out. The commit stays that of the snapshot. */
export async function readWithFiles(
  snapshot: SourceSnapshot,
  texts: ReadonlyMap<string, string | null>,
  options: SourceOptions,
): Promise<ChangedSnapshot> {
  const { git, maximumBytes } = options;
  const tree = (await git.listFiles(snapshot.commit.id)).filter(({ path }) => !texts.has(path));
  const written = [...texts].flatMap(([path, text]): TreeFile[] =>
    text === null ? [] : [{ path, blobId: `text-${sha256Hex(text)}`, mode: "file" }],
  );
  const selected = await options.selectFiles([...tree, ...written], async (file) =>
    new TextDecoder().decode(await git.readBlob(file.blobId, { maximumBytes })),
  );
  const read = new Set(selected.files.map(({ path }) => path));
  // A changed file keeps its place: a problem of several files names the first of them.
  const files = new Map([...snapshot.files].filter(([path]) => !texts.has(path) || read.has(path)));
  const parsed = new Map([...snapshot.parsed].filter(([path]) => !texts.has(path) || read.has(path)));
  const lastGood = new Map(snapshot.lastGood);
  for (const file of written) {
    if (!read.has(file.path)) continue;
    const bytes = new TextEncoder().encode(texts.get(file.path) ?? "");
    const result = await options.parseFile({ path: file.path, blobId: file.blobId, bytes });
    files.set(file.path, file);
    parsed.set(file.path, result);
    if (!hasErrors(result)) lastGood.delete(file.path);
  }
  return {
    snapshot: {
      ...withoutSteps(snapshot),
      ...{ files, parsed, lastGood, pathProblems: selected.problems, refusedPaths: selected.refused },
    },
    unread: written.flatMap(({ path }) => (read.has(path) ? [] : [path])),
  };
}

/** What is read on top of the snapshot, or planned from it, must not take it for the commit itself. */
function withoutSteps({ replaced: _replaced, size: _size, ...rest }: SourceSnapshot): SourceSnapshot {
  return rest;
}
