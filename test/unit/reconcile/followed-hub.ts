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
}

/** A follower of a hub with these objects and a branch with these files. */
export async function openFollower(
  spec: Partial<Repository["spec"]>,
  { objects = [], files = {}, status, errors = [] }: Given = {},
) {
  const git = createMemoryGit();
  const first = git.commit(files, "First\n");
  const hub = createMemoryHub();
  for (const object of objects) hub.put(object);
  const view = hub.openView();
  Object.assign(view, { workspaceUid: () => "n" });
  await view.whenSynced(new AbortController().signal);
  const clock = createManualClock();
  const pushes: CommitRequest[] = [];
  const events: string[] = [];
  const left = [...errors];
  const contents = { ...files };
  const scene = { repository: repositoryOf(spec, { appliedCommit: first, settledCommit: first, ...status }) };
  const ofMemory = {
    ...git,
    // Branches besides `main` have no commit yet.
    fetchHead: (branch: string) => (branch === "main" ? git.fetchHead(branch) : Promise.resolve(undefined)),
    commitAndPush: (request: CommitRequest) => {
      const error = left.shift();
      pushes.push(request);
      if (error) return Promise.reject(error);
      if (request.branch !== "main") return Promise.resolve("proposed");
      for (const [path, text] of request.changes)
        if (text === null) delete contents[path];
        else contents[path] = String(text);
      return Promise.resolve(git.commit(contents, request.message));
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
    writableTypes: [resourceTypes.cluster],
    hubFacts: () => ({ hubId: "hub-1" }) as never,
    events: { record: ({ reason, regarding }) => void events.push(`${reason} ${regarding.metadata.name}`) },
  });
  /** One run; its branches, scope and what it pushed. */
  const follow = async (fields: Partial<RunScope> = {}) => {
    const snapshot = await planner.read(scene.repository, git.ids.at(-1) ?? "");
    const scope = scopeOf({ repository: scene.repository, snapshot, ...fields });
    pushes.length = 0;
    const branches = await follower.follow(scope);
    const pushed = pushes.map(
      ({ branch, changes }) =>
        `${branch} ${[...changes].map(([path, text]) => (text === null ? `-${path}` : path)).join(" ")}`,
    );
    return { scope, pushed, branches: branches.map(({ branch }) => branch) };
  };
  const remove = async (object: KubeObject) => {
    const snapshot = await planner.read(scene.repository, git.ids.at(-1) ?? "");
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: object.metadata.name };
    const change = { ref, object: undefined, before: object, isPlanned: false, isDeletionSeen: true };
    follower.record(change, scene.repository, snapshot);
  };
  return { follower, follow, remove, clock, scene, events, view };
}

/** What people do is committed. */
export const commit = { onHubObjects: [{ policy: "Commit" as const, deletions: "Commit" as const }] };
