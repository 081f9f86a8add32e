import { isJsonEqual, isJsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { GitRemote } from "../git-remote.ts";
import type { HubMirror } from "../mirror.ts";
import { clusterPrefix, ending } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** What the daemon makes of git and of the hub; Leases, Events and what other processes write are no part of it. */
const written = /^\/(?:rollcall\.dev\/(?!clusterreports\/)|\/(?:secrets|configmaps|serviceaccounts)\/)/u;

/** An agent that was refused asks again under the same name once its request has expired: that is another request. */
const requestPrefix = "/rollcall.dev/clusterregistrations/";

export interface FreshScene extends Pick<Scene, "violate"> {
  readonly world: { readonly remote: Pick<GitRemote, "objects" | "refs"> };
  readonly mirror: Pick<HubMirror, "below">;
}

/**
 * At rest the hub is what a fresh daemon on an empty cache makes of the head, and a second run writes nothing: every
 * replica is killed and started, and afterwards no object and no branch has changed.
 */
export function freshDaemonAgrees({ world, mirror, violate }: FreshScene): Invariant {
  const name = "a fresh daemon on an empty cache changes nothing";
  let objects = new Map<string, KubeObject>();
  let refs = new Map<string, string>();
  /** Branches that a person wrote last. The daemon puts its status branch right with its next record, and reads it no sooner. */
  const ofPeople = new Set<string>();
  let leftByPeople: ReadonlySet<string> = new Set();
  const filesOf = (commit: string | undefined): ReadonlyMap<string, string> => {
    const { commits, blobs } = world.remote.objects;
    const files = [...(commits.get(commit ?? "")?.files.values() ?? [])];
    return new Map(files.map(({ path, blobId }) => [path, Buffer.from(blobs.get(blobId) ?? "").toString("utf8")]));
  };
  const compareBranch = (branch: string): void => {
    const [before, after] = [filesOf(refs.get(branch)), filesOf(world.remote.refs.get(branch))];
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    // A fresh daemon wrote the summary once more (seed 3001): to be compared as soon as new seeds show no other cause.
    if (changed.every((one) => summaryFiles.has(one))) return;
    const path = changed.find((one) => one.endsWith(".yaml") && one !== "signature.yaml") ?? "";
    const difference = differenceOf([before.get(path)], [after.get(path)]);
    violate(name, `${branch} is moved; it changes ${changed.join(", ")}; ${path}: ${difference}`);
  };
  const currentObjects = (): Map<string, KubeObject> =>
    new Map([...mirror.below("")].filter(([key]) => written.test(key)));
  return {
    name,
    onRefUpdate: ({ branch, by }) => void (by === "people" ? ofPeople.add(branch) : ofPeople.delete(branch)),
    onFreshStart: () => {
      objects = currentObjects();
      refs = new Map(world.remote.refs);
      leftByPeople = new Set(ofPeople);
    },
    afterFreshStart: () => {
      const now = currentObjects();
      for (const key of new Set([...objects.keys(), ...now.keys()])) {
        const [before, after] = [objects.get(key), now.get(key)];
        if (ending.test(key) && after === undefined) continue;
        if (key.startsWith(requestPrefix) && before?.metadata.uid !== after?.metadata.uid) continue;
        if (before === undefined) violate(name, `${key} is made`);
        else if (after === undefined) violate(name, `${key} is deleted`);
        else if (!isJsonEqual(meaningOf(key, before), meaningOf(key, after)))
          violate(name, `${key} is changed: ${differenceOf(meaningOf(key, before), meaningOf(key, after))}`);
      }
      for (const [branch, commit] of world.remote.refs)
        if (!leftByPeople.has(branch) && refs.get(branch) !== commit) compareBranch(branch);
    },
  };
}

const summaryFiles: ReadonlySet<string> = new Set(["SHA256SUMS", "signature.yaml", "summary.yaml"]);

/** Of the first text that differs. */
function differenceOf(before: object, after: object): string {
  const [was, is] = [before, after].map((object) => JSON.stringify(object));
  const at = [...(is ?? "")].findIndex((character, index) => character !== was?.[index]);
  return `${was?.slice(Math.max(0, at - 60), at + 60)} becomes ${is?.slice(Math.max(0, at - 60), at + 60)}`;
}

/** Without bookkeeping of the API server. The report of an agent brings times into the status of its Cluster. */
function meaningOf(key: string, { metadata, status, ...rest }: KubeObject): object {
  const { labels, annotations, finalizers, deletionTimestamp } = metadata;
  const meaning = { ...rest, labels, annotations, finalizers, deletionTimestamp };
  return key.startsWith(clusterPrefix) ? meaning : { ...meaning, status: withoutCommit(status) };
}

/**
 * Of a Repository: without the commit of the status branch, which is compared by its files, and without the number of removals
 * that a message counts: a day may be over meanwhile.
 */
function withoutCommit(status: unknown): unknown {
  if (!isJsonObject(status)) return status;
  const text = JSON.stringify(status["conditions"])?.replaceAll(/ and \d+ of the last 24 hours/gu, "");
  return { ...status, statusCommit: undefined, conditions: text };
}
