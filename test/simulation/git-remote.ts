import { AppError } from "../../src/core/errors.ts";
import type { GitEngine, PathChange, TreeFile } from "../../src/git/git.ts";
import type { GitObjects, StoredCommit } from "./git-objects.ts";
import { createGitObjects } from "./git-objects.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";

export interface RefUpdate {
  readonly branch: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly by: string;
}

/** What becomes of a request of the remote: it is served, it does not arrive, or its answer is lost. */
export type RemoteFate = "served" | "unreachable" | "lost-answer";

/** A branch of people as a remote shows it that was emptied, that is behind, or that is another repository's. */
export type ShownHead = "head" | "nothing" | "parent" | "other";

export interface GitRemote {
  readonly url: string;
  readonly objects: GitObjects;
  readonly refs: ReadonlyMap<string, string>;
  /** Every commit that main was at, or that the remote has shown as main. */
  readonly mainHeads: ReadonlySet<string>;
  /** How many requests each process has sent. */
  readonly askCounts: ReadonlyMap<SimNode, number>;
  /** Moves a branch at once, as a push of another client does. */
  move(branch: string, to: string, by: string): void;
  /** The remote as one life of a process sees it: nothing is here before it was fetched. */
  engineFor(node: SimNode): GitEngine;
}

export interface GitRemoteOptions {
  readonly url: string;
  readonly scheduler: Scheduler;
  readonly node: SimNode;
  readonly fateOf: (client: SimNode, what: string) => RemoteFate;
  readonly shown: () => ShownHead;
  readonly onUpdate: (update: RefUpdate) => void;
}

export function createGitRemote({ url, scheduler, node, fateOf, shown, onUpdate }: GitRemoteOptions): GitRemote {
  const objects = createGitObjects();
  const refs = new Map<string, string>();
  const mainHeads = new Set<string>();
  const askCounts = new Map<SimNode, number>();
  const update = (branch: string, after: string | undefined, by: string): void => {
    const before = refs.get(branch);
    if (after === undefined) refs.delete(branch);
    else refs.set(branch, after);
    if (branch === "main" && after !== undefined) mainHeads.add(after);
    onUpdate({ branch, before, after, by });
  };
  /** A history of its own, with every second file of this head. */
  const otherOf = (head: string): string => {
    const files = [...(objects.commits.get(head)?.files.values() ?? [])].filter((_, index) => index % 2 === 0);
    const changes = new Map(files.map(({ path, blobId }) => [path, objects.blobs.get(blobId) ?? ""]));
    const author = { name: "Other", email: "other@example.com" };
    return objects.commit({ parents: [], changes, message: "Another repository", author, committedAtMs: 0 });
  };
  const showBranch = (branch: string): string | undefined => {
    const head = refs.get(branch);
    if (branch !== "main" || head === undefined || shown() === "head") return head;
    if (shown() === "nothing") return undefined;
    const other = shown() === "other" ? otherOf(head) : objects.commits.get(head)?.commit.parents[0];
    mainHeads.add(other ?? head);
    return other ?? head;
  };
  /** Asks the remote: the request and its answer are events. */
  const ask = <T>(client: SimNode, what: string, work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const fate = fateOf(client, what);
      askCounts.set(client, (askCounts.get(client) ?? 0) + 1);
      const { life } = client;
      const answer = (then: () => void): void => {
        if (life === client.life) scheduler.send(client, scheduler.between(1, 60), `answer ${what}`, then);
      };
      const fail = (): void => answer(() => reject(new AppError("E_GIT_REMOTE", `${what}: ${url} cannot be reached`)));
      if (fate === "unreachable") return fail();
      scheduler.send(node, scheduler.between(1, 60), `${client.name} ${what}`, () => {
        try {
          const result = work();
          if (fate === "lost-answer") fail();
          else answer(() => resolve(result));
        } catch (error) {
          answer(() => reject(error instanceof Error ? error : new Error(String(error))));
        }
      });
    });
  return {
    url,
    objects,
    refs,
    mainHeads,
    askCounts,
    move: update,
    engineFor: (client) => {
      const here = new Set<string>();
      const bring = (id: string | undefined): void => {
        for (const one of objects.ancestorsOf(id)) here.add(one);
      };
      const find = (id: string): StoredCommit => {
        const found = here.has(id) ? objects.commits.get(id) : undefined;
        if (found === undefined) throw new AppError("E_GIT_OBJECT", `read commit ${id}: it is not here`);
        return found;
      };
      const push = (branch: string, expected: string | undefined, after: string | undefined): void => {
        if (refs.get(branch) !== expected)
          throw new AppError("E_GIT_PUSH_RACE", `push ${branch}: it is not at ${expected ?? "nothing"} any more`);
        update(branch, after, client.name);
      };
      return {
        url,
        fetchHead: async (branch) => {
          const head = await ask(client, `fetch ${branch}`, () => showBranch(branch));
          bring(head);
          return head;
        },
        listBranches: () => ask(client, "list branches", () => new Map(refs)),
        readCommit: async (id) => find(id).commit,
        readSignature: async () => undefined,
        isAncestor: async (ancestor, descendant) =>
          here.has(ancestor) && here.has(descendant) && objects.ancestorsOf(descendant).has(ancestor),
        listCommits: async ({ from, to, limit = 1000 }) => {
          const old = from !== undefined && here.has(from) ? objects.ancestorsOf(from) : new Set();
          const fresh = [...objects.ancestorsOf(find(to).commit.id)].filter((id) => !old.has(id));
          return fresh.map((id) => find(id).commit).slice(0, limit);
        },
        listFiles: async (id, paths) => below([...find(id).files.values()], paths),
        changedPaths: async (from, to, paths) => {
          const before = from === undefined ? new Map<string, TreeFile>() : find(from).files;
          return changes(before, find(to).files).filter(({ path }) => isBelow(path, paths));
        },
        readBlob: async (id, { maximumBytes = Infinity } = {}) => {
          const bytes = objects.blobs.get(id);
          if (bytes === undefined) throw new AppError("E_GIT_OBJECT", `read blob ${id}`);
          if (bytes.length > maximumBytes) throw new AppError("E_FILE_TOO_LARGE", `read blob ${id}`);
          return bytes;
        },
        commitAndPush: async ({ branch, parent, isNewBranch, isRoot, changes: changed, ...rest }) => {
          if (isRoot) throw new AppError("E_UNSUPPORTED", "the simulated remote keeps every history");
          const parents = parent === undefined ? [] : [find(parent).commit.id];
          const id = objects.commit({ ...rest, parents, changes: changed });
          if (id === parent) return id;
          await ask(client, `push ${branch}`, () => push(branch, isNewBranch ? undefined : parent, id));
          bring(id);
          return id;
        },
        moveBranch: ({ branch, from, to }) => ask(client, `move ${branch}`, () => push(branch, from, to)),
        deleteBranch: (branch, expected) => ask(client, `delete ${branch}`, () => push(branch, expected, undefined)),
        close: async () => undefined,
      };
    },
  };
}

function changes(before: ReadonlyMap<string, TreeFile>, after: ReadonlyMap<string, TreeFile>): PathChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): PathChange[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old?.blobId === now?.blobId) return [];
    return [{ path, ...(old ? { before: old } : {}), ...(now ? { after: now } : {}) }];
  });
}

function below(files: readonly TreeFile[], paths: readonly string[] | undefined): TreeFile[] {
  return files.filter(({ path }) => isBelow(path, paths));
}

function isBelow(path: string, paths: readonly string[] | undefined): boolean {
  return paths === undefined || paths.some((one) => one === "" || path === one || path.startsWith(`${one}/`));
}
