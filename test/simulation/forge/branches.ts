// What a branch of people changes, as git has it: the simulator wrote the files, and reads what it means by them.
import { headOf } from "../fleet-files.ts";
import type { World } from "../world.ts";

/** The newest commit of main that the branch is built on. */
function baseOf(world: World, head: string): string | undefined {
  const { objects } = world.remote;
  const known = objects.ancestorsOf(headOf(world));
  for (let id: string | undefined = head; id !== undefined; [id] = objects.commits.get(id)?.commit.parents ?? [])
    if (known.has(id)) return id;
  return undefined;
}

function blobAt({ remote }: World, commit: string | undefined, path: string): string | undefined {
  return remote.objects.commits.get(commit ?? "")?.files.get(path)?.blobId;
}

/** The files that a branch changed since it left main, with what they are there; null: it has removed them. */
export function changesOf(world: World, head: string): ReadonlyMap<string, string | null> {
  const { commits, blobs } = world.remote.objects;
  const base = baseOf(world, head);
  const paths = new Set([base, head].flatMap((id) => [...(commits.get(id ?? "")?.files.keys() ?? [])]));
  const changed = [...paths].filter((path) => blobAt(world, base, path) !== blobAt(world, head, path));
  return new Map(
    changed.map((path) => {
      const blobId = blobAt(world, head, path);
      return [path, blobId === undefined ? null : Buffer.from(blobs.get(blobId) ?? "").toString("utf8")];
    }),
  );
}

/** Whether main has changed one of these files in another way. */
export function hasConflicts(world: World, head: string): boolean {
  const base = baseOf(world, head);
  const main = headOf(world);
  const isChanged = (left: string | undefined, right: string | undefined, path: string): boolean =>
    blobAt(world, left, path) !== blobAt(world, right, path);
  return [...changesOf(world, head).keys()].some((path) => isChanged(base, main, path) && isChanged(head, main, path));
}
