import { stringify } from "yaml";
import { sha256Hex } from "../core/digest.ts";
import { quotedForAll } from "../core/yaml/quoted-for-all.ts";
import { escapeMarkdown } from "../core/escape-markdown.ts";
import type { GitEngine } from "../git/git.ts";
import { listPaths } from "../git/git.ts";
import { editDocument } from "../manifests/edit-document.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Proposal } from "../model/proposal.ts";
import type { SourceDocument } from "../model/source.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import { filesInForce } from "../review/read-source.ts";
import type { ProposedBranch } from "./branch-keeper.ts";
import { BranchKeeper } from "./branch-keeper.ts";
import type { BranchOwner } from "./branch-owner.ts";

/** The path of a proposed file, unless Repository.spec.proposals sets another one. */
const defaultPath = "clusters/{workspace}/{name}.yaml";

/** Requests of one token that are open at the same time; further ones wait until these are merged or end. */
const openAtMost = 20;

export interface ProposalInputs {
  readonly snapshot: SourceSnapshot;
  readonly proposals: readonly Proposal[];
  /** Tokens (`workspace/name`) that ask for approval: their branches may be left from before. */
  readonly tokens: readonly string[];
  readonly owner: BranchOwner;
  readonly defaultWorkspace: string | undefined;
  /** Template of the path of a new file. */
  readonly path?: string;
  readonly readWithFiles: RepositoryPlanner["readWithFiles"];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface SyncedProposals {
  readonly branches: readonly ProposedBranch[];
  /** Paths of files that are not proposed, since the Repository would not read them. */
  readonly unread: readonly string[];
}

/**
 * Keeps the branches `rollcall/join/<workspace>/<token>`: each has the files that admit waiting clusters. A further request
 * is a further commit. A file is removed with its request, and a branch without requests is deleted. A cluster whose file
 * already names the identity of the agent is not proposed.
 */
export class ProposalBranches {
  readonly #git: Pick<GitEngine, "listFiles">;
  readonly #keeper: BranchKeeper;
  #listed: { readonly commit: string; readonly paths: ReadonlySet<string> } | undefined;
  #unread: { readonly of: string; readonly paths: readonly string[] } | undefined;

  constructor(git: GitEngine) {
    this.#git = git;
    this.#keeper = new BranchKeeper(git, { prefix: "rollcall/join/" });
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async sync(inputs: ProposalInputs): Promise<SyncedProposals> {
    const { snapshot, proposals, tokens, owner, nowMs, signal } = inputs;
    const source = snapshot.commit.id;
    // Without a request nothing is compared with files.
    const declared = proposals.length === 0 ? new Map<string, DeclaredCluster>() : declaredClusters(inputs);
    const byToken = new Map<string, Proposal[]>();
    for (const proposal of proposals) {
      if (isMerged(proposal, declared)) continue;
      const key = `${proposal.workspace}/${proposal.token}`;
      byToken.set(key, [...(byToken.get(key) ?? []), proposal]);
    }
    const paths = byToken.size === 0 ? new Set<string>() : await this.#pathsOf(source);
    const placed = [...byToken].map(([token, requests]) => {
      const places = placeFiles(oldestOfEach(requests), declared, { template: inputs.path, paths });
      return { token, count: requests.length, places };
    });
    const unread = await this.#unreadOf(
      placed.flatMap(({ places }) => places),
      inputs,
    );
    const wanted = placed.flatMap(({ token, count, places }) => {
      const readable = places.filter(({ path }) => !unread.includes(path)).slice(0, openAtMost);
      if (readable.length === 0) return [];
      const files = proposedFiles(readable);
      const open = readable.map(({ proposal }) => proposal);
      return {
        name: token,
        digest: sha256Hex(JSON.stringify([source, [...files]])),
        files: () => files,
        message: messageOf(open),
        ...requestOf(token, open, count - open.length),
      };
    });
    return { ...(await this.#keeper.sync(wanted, { source, owner, nowMs, signal }, tokens)), unread };
  }

  /** Of the new files, those that a merge would bring in vain. */
  async #unreadOf(
    placed: readonly PlacedFile[],
    { snapshot, readWithFiles }: ProposalInputs,
  ): Promise<readonly string[]> {
    const paths = placed.flatMap(({ path, declared }) => (declared === undefined ? [path] : []));
    if (paths.length === 0) return [];
    const of = sha256Hex(JSON.stringify([snapshot.commit.id, snapshot.selection, paths]));
    if (this.#unread?.of !== of) {
      const { unread } = await readWithFiles(snapshot, new Map(paths.map((path) => [path, ""])));
      this.#unread = { of, paths: unread };
    }
    return this.#unread.paths;
  }

  /** Requests wait through many runs of one commit. */
  async #pathsOf(commit: string): Promise<ReadonlySet<string>> {
    if (this.#listed?.commit !== commit) this.#listed = { commit, paths: await listPaths(this.#git, commit) };
    return this.#listed.paths;
  }
}

interface DeclaredCluster {
  readonly document: SourceDocument;
  readonly text: string;
  readonly cluster: Cluster;
}

function declaredClusters({ snapshot, defaultWorkspace = "" }: ProposalInputs): Map<string, DeclaredCluster> {
  const declared = new Map<string, DeclaredCluster>();
  for (const file of filesInForce(snapshot)) {
    for (const document of file.documents) {
      const { kind, apiVersion, metadata } = document.object;
      if (kind !== "Cluster" || !apiVersion.startsWith("rollcall.dev/")) continue;
      const key = `${metadata.namespace ?? defaultWorkspace}/${metadata.name}`;
      declared.set(key, { document, text: file.text, cluster: document.object as Cluster });
    }
  }
  return declared;
}

/** The file already identifies the cluster: whatever the hub still waits for, another proposal would not bring it. */
function isMerged({ workspace, cluster }: Proposal, declared: ReadonlyMap<string, DeclaredCluster>): boolean {
  const spec = declared.get(`${workspace}/${cluster.metadata.name}`)?.cluster.spec;
  const { clientID, identity } = cluster.spec ?? {};
  if (spec === undefined || clientID === undefined || spec.clientID !== clientID) return false;
  return (identity?.keys ?? []).every((key) => spec.identity?.keys?.includes(key));
}

/**
 * One request of each cluster. A later one, of another agent, would put its key in the place of the one that a person has
 * reviewed, or add a second file of the cluster.
 */
function oldestOfEach(oldestFirst: readonly Proposal[]): Proposal[] {
  const clusters = new Map<string, Proposal>();
  for (const proposal of oldestFirst) {
    const { name } = proposal.cluster.metadata;
    if (!clusters.has(name)) clusters.set(name, proposal);
  }
  return [...clusters.values()];
}

/** A request, and the file that would admit its cluster: a new one, or the one that declares it. */
interface PlacedFile {
  readonly proposal: Proposal;
  readonly path: string;
  readonly declared: DeclaredCluster | undefined;
}

function placeFiles(
  proposals: readonly Proposal[],
  known: ReadonlyMap<string, DeclaredCluster>,
  { template, paths }: { readonly template: string | undefined; readonly paths: ReadonlySet<string> },
): PlacedFile[] {
  const taken = new Set<string>();
  return proposals.map((proposal) => {
    const { workspace, cluster } = proposal;
    const { name } = cluster.metadata;
    const declared = known.get(`${workspace}/${name}`);
    const isTaken = (path: string): boolean => paths.has(path) || taken.has(path);
    const path = declared?.document.position.file ?? proposedPath(template, { workspace, name }, isTaken);
    taken.add(path);
    return { proposal, path, declared };
  });
}

function proposedFiles(placed: readonly PlacedFile[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const { proposal, path, declared } of placed) {
    const text =
      declared === undefined
        ? stringify(proposal.cluster, quotedForAll)
        : withIdentity(files.get(path) ?? declared.text, declared.document.index, proposal.cluster);
    files.set(path, text);
  }
  return files;
}

/**
 * The path for the file of a cluster; a name of its own when another file has that path. Default template:
 * `clusters/{workspace}/{name}.yaml`.
 */
export function proposedPath(
  template: string | undefined,
  { workspace, name }: { readonly workspace: string; readonly name: string },
  isTaken: (path: string) => boolean,
): string {
  const path = (template ?? defaultPath).replaceAll("{workspace}", workspace).replaceAll("{name}", name);
  // The template may have no workspace: then clusters of one name have the same path.
  const mark = sha256Hex(`${path} ${workspace}`).slice(0, 8);
  return isTaken(path) ? path.replace(/(\.[^./]*)?$/u, `-${mark}$1`) : path;
}

/** The file of a declared cluster with who it is; everything else, comments too, stays. */
function withIdentity(text: string, index: number, { spec }: Cluster): string {
  const keys = spec?.identity?.keys;
  return editDocument(text, index, [
    { path: ["spec", "clientID"], value: spec?.clientID },
    ...(keys ? [{ path: ["spec", "identity", "keys"], value: keys }] : []),
  ]);
}

function messageOf(proposals: readonly Proposal[]): string {
  const names = proposals.map(({ workspace, cluster }) => `${workspace}/${cluster.metadata.name}`);
  const [first = "", ...others] = names;
  const subject = `join: admit ${first.slice(0, 60)}${others.length > 0 ? ` and ${others.length} more` : ""}`;
  const lines = proposals.map(
    ({ workspace, token, registration, cluster }) =>
      `- ${workspace}/${cluster.metadata.name}: registration ${registration ?? "none"}, token ${token ?? "none"}`,
  );
  return `${subject}\n\nAgents asked to join. Merging this admits them.\n\n${lines.join("\n")}\n`;
}

function requestOf(
  token: string,
  open: readonly Proposal[],
  waitingCount: number,
): Pick<ProposedBranch, "title" | "body"> {
  const more = waitingCount > 0 ? [`${waitingCount} further requests wait until these are merged or deleted.`, ""] : [];
  return {
    title: `Admit clusters by token ${token}`,
    body: [
      `Agents asked to join by the token ${escapeMarkdown(token)}. Merging this admits them:`,
      "",
      ...open.map(({ workspace, cluster }) => `- ${escapeMarkdown(`${workspace}/${cluster.metadata.name}`)}`),
      "",
      ...more,
      "To refuse them, delete the file of the token.",
    ].join("\n"),
  };
}
