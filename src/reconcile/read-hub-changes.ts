import { fileOfHubObject } from "../adopt/file-of-hub-object.ts";
import { appendAll } from "../core/append-all.ts";
import { compareText } from "../core/compare-text.ts";
import { sha256Hex } from "../core/digest.ts";
import { matchesGlob } from "../core/name-glob.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { HubChange, RefusedHubChange } from "../model/hub-change.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { belongsTo, repositoryLabelOf } from "../model/repository-label.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { isFromGit, isMadeByHand, isOwnManager } from "../planning/edits-by-hand.ts";
import { hubEditsOf, mayBeEdited } from "../planning/hub-edits.ts";
import { isKeptByOthers, isOwned } from "../planning/hub-objects.ts";
import { hubPolicyOf } from "../planning/hub-policy.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import type { DeclaredDocuments } from "./declared-documents.ts";
import { findDeclaration, findDocument, indexDocuments, roleOfKind } from "./declared-documents.ts";
import { declaredPlaceOf } from "../planning/declared-place.ts";
import type { RevertedEdits } from "./reverted-edits.ts";

export interface HubChangeSource {
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
  readonly view: HubView;
  readonly types: readonly ResourceType[];
  /** Objects that a person deleted, and that exist again. */
  readonly deleted: readonly KubeObject[];
  /** What people changed, and the hub has reverted since. */
  readonly reverted: Pick<RevertedEdits, "of" | "forget">;
  readonly planner: Pick<RepositoryPlanner, "readFileAt">;
  /** Every path of the commit, whether it is read or not. */
  readonly listPaths: () => Promise<ReadonlySet<string>>;
}

export interface HubChanges {
  readonly changes: readonly HubChange[];
  readonly refused: readonly RefusedHubChange[];
}

type Finding = HubChange | RefusedHubChange;

const nothing: readonly Finding[] = [];

/**
 * Changes that users made on the hub, as changes of the files of this commit, by name. Changes that the commit has
 * already are excluded. Users are not among what it reads.
 */
export async function readHubChanges(source: HubChangeSource): Promise<HubChanges> {
  const { repository, snapshot, view, types, deleted } = source;
  const documents = indexDocuments(snapshot, repository.spec.defaultWorkspace);
  const findings: Finding[] = [];
  appendAll(findings, deletionsOf(deleted, documents, source));
  for (const type of types) {
    for (const live of view.list(type)) {
      const workspace = workspaceOf(live, repository);
      if (workspace === undefined || live.metadata.deletionTimestamp !== undefined) continue;
      const { policy } = hubPolicyOf(repository.spec, { kind: live.kind, workspace });
      if (policy === "Ignore") continue;
      const place: Place = { live, type, workspace, policy, documents };
      appendAll(findings, isNew(place, view) ? await creationOf(place, source) : await editOf(place, source));
    }
  }
  const changes = findings.flatMap((finding) => ("file" in finding ? [finding] : []));
  return {
    changes: changes.sort((a, b) => compareText(a.object, b.object)),
    refused: findings.flatMap((finding) => ("message" in finding ? [finding] : [])),
  };
}

interface Place {
  readonly live: KubeObject;
  readonly type: ResourceType;
  readonly workspace: string;
  readonly policy: "Propose" | "Commit";
  readonly documents: DeclaredDocuments;
}

/**
 * The workspace that the object's file belongs to; undefined when it is none of the Repository. A ManagedCluster in another
 * workspace than the default one would let that workspace write to the default one.
 */
function workspaceOf({ kind, metadata }: KubeObject, { spec }: Repository): string | undefined {
  const isOfDefault = kind === "MemberCluster" || kind === "ManagedCluster";
  const workspace = isOfDefault ? spec.defaultWorkspace : metadata.namespace;
  if (workspace === undefined || (metadata.namespace !== undefined && metadata.namespace !== workspace))
    return undefined;
  return (spec.workspaces ?? ["*"]).some((pattern) => matchesGlob(pattern, workspace)) ? workspace : undefined;
}

function isNew({ live, type, workspace }: Place, view: HubView): boolean {
  if (type === resourceTypes.cluster)
    return isMadeByHand({ cluster: live as Cluster, state: view.memberStateOf(workspace, live.metadata.name) });
  return type.group === resourceTypes.cluster.group ? !isFromGit(live) : !isOwned(live);
}

async function creationOf(place: Place, source: HubChangeSource): Promise<readonly Finding[]> {
  const { live, workspace, documents } = place;
  const { name } = live.metadata;
  if (isKeptByOthers(live) || documents.find(live.kind, workspace, name) !== undefined) return nothing;
  if (documents.isBroken(live.kind, workspace, name))
    return [{ live, message: "A file with an error may declare it already. Correct that file first." }];
  const file = fileOfHubObject(live);
  if ("refusal" in file) return [{ live, message: file.refusal }];
  const path = await freePath(place, file.folder, source);
  return [{ ...headOf(place), path, file: { kind: "Create", text: file.text } }];
}

async function editOf(place: Place, source: HubChangeSource): Promise<readonly Finding[]> {
  const { repository, planner, view } = source;
  const { live, workspace, documents } = place;
  const reverted = source.reverted.of(live);
  const { labels = {}, annotations = {}, name } = live.metadata;
  const owner = labels[labelKeys.cluster] ?? labels[labelKeys.token] ?? name;
  const isOwn = place.type.group === resourceTypes.cluster.group;
  if (isOwn && (!isFromGit(live) || !belongsTo(live, repositoryLabelOf(repository)))) return nothing;
  const declared = documents.find(live.kind, workspace, owner);
  if (declared === undefined) return nothing;
  const isSameKind = declared.object.apiVersion === live.apiVersion && declared.object.kind === live.kind;
  if (reverted.length === 0 && !mayBeEdited({ live, head: declared.object, isSameKind })) return nothing;
  // The foreign object has no record of the commit: its Cluster or token has.
  const applied = isOwn ? annotations : appliedAnnotations(place, owner, view);
  const { [annotationKeys.sourceCommit]: commit, [annotationKeys.sourceFile]: path } = applied;
  const base =
    commit === undefined || path === undefined
      ? undefined
      : findDocument(await planner.readFileAt(commit, path), declared.object)?.object;
  const remembered = view.memberStateOf(workspace, owner)?.labels;
  const { edits, refused } = hubEditsOf({
    live,
    base,
    head: declared.object,
    isSameKind,
    reverted,
    labelRules: applied[annotationKeys.labelRules],
    keysOfOthers: new Set(Object.keys({ ...remembered?.token, ...remembered?.agent })),
  });
  if (edits.length === 0) source.reverted.forget(live);
  const managers = [...new Set(edits.map(({ manager }) => manager).filter((manager) => manager !== ""))];
  const { file } = declared.position;
  return [
    ...(refused.length === 0
      ? []
      : [{ live, message: `It stays as git has it: ${refused.slice(0, 10).join(", ")}.`.slice(0, 1024) }]),
    ...(edits.length === 0
      ? []
      : [
          {
            ...headOf(place),
            managers: managers.map(plainText),
            ...(reverted.length === 0 ? {} : { isReverted: true }),
            path: file,
            file: {
              kind: "Edit" as const,
              index: declared.index,
              edits: edits.map(({ path: at, value }) => ({ path: at, value })),
            },
          },
        ]),
  ];
}

function appliedAnnotations({ live, workspace }: Place, owner: string, view: HubView): Record<string, string> {
  const type = roleOfKind(live.kind) === "Cluster" ? resourceTypes.cluster : resourceTypes.clusterRegistrationToken;
  return view.get({ type, namespace: workspace, name: owner })?.metadata.annotations ?? {};
}

/** One for each document: a Cluster and its object of another project's kind have the same one. */
function deletionsOf(
  deleted: readonly KubeObject[],
  documents: DeclaredDocuments,
  source: HubChangeSource,
): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const live of deleted) {
    const deletion = deletionOf(live, documents, source);
    if (deletion?.file.kind === "Delete") found.set(`${deletion.path}#${deletion.file.index}`, deletion);
  }
  return [...found.values()];
}

function deletionOf(
  live: KubeObject,
  documents: DeclaredDocuments,
  { repository }: HubChangeSource,
): HubChange | undefined {
  const type = resourceTypeOf(live);
  const place = type && declaredPlaceOf(live, type);
  if (place === undefined) return undefined;
  const { workspace } = place;
  const { deletions } = hubPolicyOf(repository.spec, { kind: live.kind, workspace });
  const declared = findDeclaration(documents, live, place);
  if (deletions === "Ignore" || declared === undefined) return undefined;
  return {
    live,
    object: describeObject(live),
    workspace,
    policy: deletions,
    managers: [],
    users: [],
    path: declared.position.file,
    file: { kind: "Delete", index: declared.index },
  };
}

function headOf({ live, workspace, policy }: Place): Omit<HubChange, "path" | "file"> {
  const managers = (live.metadata.managedFields ?? [])
    .filter(({ subresource = "" }) => subresource === "")
    .flatMap(({ manager = "" }) => (manager === "" || isOwnManager(manager) ? [] : [plainText(manager)]));
  return { live, object: describeObject(live), workspace, policy, managers: [...new Set(managers)], users: [] };
}

/** One line: commit messages contain the name that another program gives itself, and their lines have meanings. */
function plainText(manager: string): string {
  return cleanRemoteText(manager, { secrets: [], maximumLength: 64 });
}

async function freePath({ live, workspace }: Place, folder: string, source: HubChangeSource): Promise<string> {
  const template = folder === "clusters" ? source.repository.spec.proposals?.path : undefined;
  const path = (template ?? `${folder}/{workspace}/{name}.yaml`)
    .replaceAll("{workspace}", workspace)
    .replaceAll("{name}", live.metadata.name);
  const isTaken = (await source.listPaths()).has(path);
  return isTaken ? path.replace(/(\.[^./]*)?$/u, `-${sha256Hex(describeObject(live)).slice(0, 8)}$1`) : path;
}

function describeObject(live: KubeObject): string {
  const type = resourceTypeOf(live);
  return type === undefined ? live.metadata.name : describeRef(refOf(type, live));
}
