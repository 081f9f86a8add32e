import { receiveMessageOnPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { GitEngine } from "../../git/git.ts";
import { AppError } from "../../core/errors.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import type { Observed } from "../../planning/observed.ts";
import type { PlanAnswer, PlanOrder } from "./plan-calls.ts";
import { receivedError } from "./sent-error.ts";

/** Calls of a thread to the main thread. */
export interface MainThread {
  ask<T>(name: string, ...args: readonly unknown[]): Promise<T>;
  /** Blocks until the answer is there. */
  askNow<T>(name: string, ...args: readonly unknown[]): T;
  /** All of a list, piece by piece. */
  listNow<T>(name: string, ...args: readonly unknown[]): T[];
}

export function openMainThread(port: MessagePort, { answers, signal }: PlanOrder): MainThread {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  port.on("message", (answer: PlanAnswer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("error" in answer) call?.reject(receivedError(answer.error));
    else call?.resolve(answer.value);
  });
  const askNow = <T>(name: string, ...args: readonly unknown[]): T => {
    Atomics.store(signal, 0, 0);
    port.postMessage({ id: 0, name, args });
    Atomics.wait(signal, 0, 0);
    const received: unknown = receiveMessageOnPort(answers)?.message;
    // No memory was left for it.
    if (received === undefined) throw new Error(`the answer to ${name} cannot be read`);
    const answer = received as PlanAnswer;
    if ("error" in answer) throw receivedError(answer.error);
    return answer.value as T;
  };
  return {
    ask: <T>(name: string, ...args: readonly unknown[]) =>
      new Promise<T>((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve: (value) => resolve(value as T), reject });
        port.postMessage({ id: lastId, name, args });
      }),
    askNow,
    listNow: <T>(name: string, ...args: readonly unknown[]) => {
      const all: T[] = [];
      for (;;) {
        const piece = askNow<readonly T[]>(name, all.length, ...args);
        if (piece.length === 0) return all;
        for (const item of piece) all.push(item);
      }
    },
  };
}

/** The hub as the main thread sees it. Each list is asked for once, so that the plan sees one moment of each kind. */
export function observedThere(main: MainThread, isComplete: boolean): Observed {
  const lists = new Map<string, { readonly items: readonly KubeObject[]; readonly byRef: Map<string, KubeObject> }>();
  const workspaces = new Map<string, boolean>();
  const listOf = (type: ResourceType) => {
    const key = `${type.group}/${type.version}/${type.plural}`;
    let list = lists.get(key);
    if (list === undefined) {
      const items = main.listNow<KubeObject>("list", type);
      list = { items, byRef: new Map(items.map((item) => [describeRef(refOf(type, item)), item])) };
      lists.set(key, list);
    }
    return list;
  };
  return {
    isComplete,
    get: (ref) => listOf(ref.type).byRef.get(describeRef(ref)),
    list: (type) => listOf(type).items,
    isWorkspace: (namespace) => {
      const known = workspaces.get(namespace) ?? main.askNow<boolean>("isWorkspace", namespace);
      workspaces.set(namespace, known);
      return known;
    },
  };
}

/** The repository, which the main thread reads; nothing is fetched or pushed from here. */
export function repositoryThere(main: MainThread): GitEngine {
  const refuse = () => Promise.reject(new AppError("E_UNSUPPORTED", "a plan of a branch only reads"));
  return {
    url: "",
    readCommit: (id) => main.ask("readCommit", id),
    readSignature: (id) => main.ask("readSignature", id),
    isAncestor: (ancestor, descendant) => main.ask("isAncestor", ancestor, descendant),
    listCommits: (options) => main.ask("listCommits", options),
    listFiles: (commitId, paths) => main.ask("listFiles", commitId, paths),
    changedPaths: (from, to, paths) => main.ask("changedPaths", from, to, paths),
    readBlob: (blobId, options) => main.ask("readBlob", blobId, options),
    fetchHead: refuse,
    listBranches: refuse,
    commitAndPush: refuse,
    moveBranch: refuse,
    deleteBranch: refuse,
    close: () => Promise.resolve(),
  };
}
