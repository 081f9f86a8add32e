import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { CommitRequest } from "../../../src/git/git.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { HubFollower } from "../../../src/reconcile/follow-hub.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { scopeOf } from "./phase-builders.ts";
import { createMemoryGit } from "./removals/memory-git.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

const apiVersion = "rollcall.dev/v1alpha1";
export const denied = new AppError("E_GIT_PUSH_DENIED", "push");
export const race = new AppError("E_GIT_PUSH_RACE", "push");
export const fileOf = (name: string): string =>
  `apiVersion: ${apiVersion}\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`;
export const repositoryOf = (spec: Partial<Repository["spec"]>, status?: Repository["status"]): Repository => ({
  ...{ apiVersion, kind: "Repository", metadata: { name: "fleet", namespace: "system", resourceVersion: "1" } },
  spec: { url: "memory", workspaces: ["fleet"], ...spec },
  ...(status ? { status } : {}),
});

/** A Cluster that a person made. */
export const byHand = (name: string): KubeObject => ({
  apiVersion,
  kind: "Cluster",
  metadata: { name, namespace: "fleet" },
  spec: {},
});
/** The same, as git applied it. */
export const byGit = (name: string): KubeObject => ({
  ...byHand(name),
  metadata: {
    ...{ name, namespace: "fleet", labels: { "rollcall.dev/repository": "system.fleet" } },
    managedFields: [{ manager: "rollcall-git", operation: "Apply", fieldsV1: {} }],
  },
});

export interface Given {
  readonly objects?: readonly KubeObject[];
  readonly files?: Readonly<Record<string, string>>;
  readonly status?: Repository["status"];
  /** What each push ends with, in their order; else it succeeds. */
  readonly errors?: readonly (Error | undefined)[];
  /** What each read of the branch after a push ends with, in their order; else it succeeds. */
  readonly readErrors?: readonly (Error | undefined)[];
  /** A MemberCluster beside the objects. */
  readonly member?: KubeObject;
}

/** A follower of a hub with these objects and a branch with these files. */
export async function openFollower(
  spec: Partial<Repository["spec"]>,
  { objects = [], files = {}, status, errors = [], readErrors = [], member }: Given = {},
) {
  const git = createMemoryGit();
  const first = git.commit(files, "First\n");
  const hub = createMemoryHub();
  for (const object of objects) hub.put(object);
  const view = hub.openView();
  const listed = view.list.bind(view);
  const list: typeof view.list = (type) => (type === resourceTypes.memberCluster && member ? [member] : listed(type));
  Object.assign(view, { workspaceUid: () => "n", list });
  await view.whenSynced(new AbortController().signal);
  const clock = createManualClock();
  const pushes: CommitRequest[] = [];
  const events: string[] = [];
  const messages: string[] = [];
  const left = [...errors];
  const readsLeft = [...readErrors];
  let contents: Readonly<Record<string, string>> = files;
  const scene = { repository: repositoryOf(spec, { appliedCommit: first, settledCommit: first, ...status }) };
  /** Branches besides `main`. */
  const remote = new Map<string, string>();
  const ofMemory = {
    ...git,
    listBranches: () => Promise.resolve(new Map(remote)),
    fetchHead: (branch: string) => {
      if (branch !== "main") return Promise.resolve(remote.get(branch));
      const error = readsLeft.shift();
      return error ? Promise.reject(error) : git.fetchHead(branch);
    },
    deleteBranch: (branch: string) => Promise.resolve(void remote.delete(branch)),
    commitAndPush: (request: CommitRequest) => {
      const error = left.shift();
      pushes.push(request);
      if (error) return Promise.reject(error);
      const isMain = request.branch === "main";
      const changed: Record<string, string> = { ...contents };
      for (const [path, text] of request.changes)
        if (text === null) delete changed[path];
        else changed[path] = String(text);
      if (isMain) contents = changed;
      const id = git.commit(changed, request.message, { isBeside: !isMain, author: request.author });
      if (!isMain) remote.set(request.branch, id);
      return Promise.resolve(id);
    },
  };
  const planner = createRepositoryPlanner({
    git,
    source: sourceOptions(() => undefined),
    checkFleet: fleetChecker("system"),
    observed: view,
    rememberedLabels: () => undefined,
    nowMs: () => clock.nowMs(),
  });
  const follower = new HubFollower({
    ...{ hubApi: hub.api, git: ofMemory, planner, view, clock, log: silentLog },
    writableTypes: [resourceTypes.cluster, resourceTypes.memberCluster],
    hubFacts: () => ({ hubId: "hub-1" }) as never,
    events: {
      record: ({ type, reason, regarding, message }) => {
        events.push(`${reason} ${regarding.metadata.name}`);
        messages.push(`${type}: ${message}`);
      },
    },
  });
  /** One run; its branches, scope and what it pushed. */
  const follow = async (fields: Partial<RunScope> = {}) => {
    const snapshot = await planner.read(scene.repository, (await git.fetchHead("main")) ?? "");
    const scope = scopeOf({ repository: scene.repository, snapshot, ...fields });
    pushes.length = 0;
    const branches = await follower.follow(scope);
    const pushed = pushes.map(
      ({ branch, changes }) =>
        `${branch} ${[...changes].map(([path, text]) => (text === null ? `-${path}` : path)).join(" ")}`,
    );
    return { scope, pushed, branches: branches.map(({ branch }) => branch) };
  };
  /** A change of the MemberCluster that a watch reported. */
  const edit = async (before: KubeObject, object: KubeObject) => {
    const snapshot = await planner.read(scene.repository, (await git.fetchHead("main")) ?? "");
    const ref = { type: resourceTypes.memberCluster, name: object.metadata.name };
    follower.record({ ref, before, object, isPlanned: false }, scene.repository, snapshot);
  };
  const remove = async (object: KubeObject) => {
    const snapshot = await planner.read(scene.repository, (await git.fetchHead("main")) ?? "");
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: object.metadata.name };
    const change = { ref, object: undefined, before: object, isPlanned: false, isDeletionSeen: true };
    follower.record(change, scene.repository, snapshot);
  };
  return { follower, follow, edit, remove, clock, scene, events, messages, view, remote };
}

/** What people do is committed. */
export const commit = { onHubObjects: [{ policy: "Commit" as const, deletions: "Commit" as const }] };
