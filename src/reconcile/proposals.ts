import { stringify } from "yaml";
import { sha256Hex } from "../core/digest.ts";
import { composeYaml } from "../core/yaml/compose-yaml.ts";
import { fileBounds } from "../core/yaml/yaml-bounds.ts";
import type { GitEngine } from "../git/git.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Proposal } from "../model/proposal.ts";
import type { SourceDocument } from "../model/source.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import { filesInForce } from "../review/read-source.ts";
import { statusAuthor } from "./write-back.ts";

/** Where a proposed file goes unless Repository.spec.proposals says otherwise. */
const defaultPath = "clusters/{workspace}/{name}.yaml";

/** Requests of one token that are open at the same time; further ones wait until these are merged or gone. */
const openAtMost = 20;

export interface ProposalInputs {
  readonly snapshot: SourceSnapshot;
  readonly proposals: readonly Proposal[];
  /** Tokens (`workspace/name`) that ask for approval: their branches may be left from before. */
  readonly tokens: readonly string[];
  readonly defaultWorkspace: string | undefined;
  /** Template of the path of a new file. */
  readonly path?: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** A branch with files that wait to be merged. */
export interface ProposedBranch {
  readonly branch: string;
  readonly workspace: string;
  readonly token: string;
  readonly clusters: readonly string[];
  /** Requests that wait for these, beyond the bound. */
  readonly waitingCount: number;
  readonly commit: string;
}

/**
 * Keeps the branches `rollcall/join/<workspace>/<token>`: each holds the files that let waiting clusters in. A further request
 * is a further commit, a request that is gone takes its file along, and a branch that nobody waits for is deleted. Nothing
 * is forced; what a person changed on the branch stays. A cluster whose file says already who it is, is never proposed.
 */
export class ProposalBranches {
  readonly #git: GitEngine;
  /** By branch: what it was last made from, and what it is. Absent: not looked at since the start. */
  readonly #known = new Map<string, { readonly digest: string; readonly proposed: ProposedBranch | undefined }>();

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async sync(inputs: ProposalInputs): Promise<ProposedBranch[]> {
    const declared = declaredClusters(inputs);
    const byToken = new Map<string, Proposal[]>(inputs.tokens.map((token) => [token, []]));
    for (const proposal of inputs.proposals) {
      if (isMerged(proposal, declared)) continue;
      const key = `${proposal.workspace}/${proposal.token}`;
      byToken.set(key, [...(byToken.get(key) ?? []), proposal]);
    }
    for (const branch of this.#known.keys()) {
      const token = branch.slice(branchPrefix.length);
      if (!byToken.has(token)) byToken.set(token, []);
    }
    const branches: ProposedBranch[] = [];
    for (const [token, proposals] of byToken) {
      const branch = `${branchPrefix}${token}`;
      const files = proposedFiles(proposals.slice(0, openAtMost), declared, inputs);
      const digest = sha256Hex(JSON.stringify([inputs.snapshot.commit.id, [...files]]));
      const known = this.#known.get(branch);
      if (known?.digest !== digest && !(files.size === 0 && known !== undefined && known.proposed === undefined)) {
        const commit = await this.#write({ branch, files, inputs, proposals });
        const [workspace = "", name = ""] = token.split("/");
        const clusters = proposals.slice(0, openAtMost).map(({ cluster }) => cluster.metadata.name);
        const waitingCount = Math.max(0, proposals.length - openAtMost);
        const proposed =
          commit === undefined ? undefined : { branch, workspace, token: name, clusters, waitingCount, commit };
        this.#known.set(branch, { digest, proposed });
      }
      const proposed = this.#known.get(branch)?.proposed;
      if (proposed) branches.push(proposed);
    }
    return branches;
  }

  /** Brings a branch to hold these files; returns its head, or undefined when there is none. */
  async #write(request: BranchRequest): Promise<string | undefined> {
    const { branch, files, inputs } = request;
    const source = inputs.snapshot.commit.id;
    let tip = await this.#git.fetchHead(branch, inputs.signal);
    if (tip !== undefined && (await this.#git.isAncestor(tip, source))) {
      await this.#git.deleteBranch(branch, tip, inputs.signal);
      tip = undefined;
    }
    if (tip === undefined)
      return files.size === 0 ? undefined : this.#commit(request, { parent: source, changes: files });
    const commits = await this.#git.listCommits({ from: source, to: tip });
    const isOursAlone = commits.every(({ author }) => author.email === statusAuthor.email);
    if (files.size === 0 && isOursAlone) {
      await this.#git.deleteBranch(branch, tip, inputs.signal);
      return undefined;
    }
    const fork = commits.at(-1)?.parents[0];
    const there = await this.#git.changedPaths(fork, tip);
    const changes = new Map<string, string | null>();
    const paths = new Set(there.map(({ path }) => path));
    for (const [path, content] of files) if (!paths.has(path)) changes.set(path, content);
    if (isOursAlone)
      for (const { path, before } of there) if (before === undefined && !files.has(path)) changes.set(path, null);
    return changes.size === 0 ? tip : this.#commit(request, { parent: tip, changes });
  }

  async #commit(
    { branch, inputs, proposals }: BranchRequest,
    { parent, changes }: { readonly parent: string; readonly changes: ReadonlyMap<string, string | null> },
  ): Promise<string> {
    return this.#git.commitAndPush({
      branch,
      parent,
      ...(parent === inputs.snapshot.commit.id ? { isNewBranch: true } : {}),
      changes,
      message: messageOf(proposals.slice(0, openAtMost)),
      author: statusAuthor,
      committedAtMs: inputs.nowMs,
      signal: inputs.signal,
    });
  }
}

interface BranchRequest {
  readonly branch: string;
  readonly files: ReadonlyMap<string, string>;
  readonly proposals: readonly Proposal[];
  readonly inputs: ProposalInputs;
}

const branchPrefix = "rollcall/join/";

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

/** The file says who the cluster is already: whatever the hub still waits for, another proposal would not bring it. */
function isMerged({ workspace, cluster }: Proposal, declared: ReadonlyMap<string, DeclaredCluster>): boolean {
  const spec = declared.get(`${workspace}/${cluster.metadata.name}`)?.cluster.spec;
  const { clientID, identity } = cluster.spec ?? {};
  if (spec === undefined || clientID === undefined || spec.clientID !== clientID) return false;
  return (identity?.keys ?? []).every((key) => spec.identity?.keys?.includes(key));
}

function proposedFiles(
  proposals: readonly Proposal[],
  declared: ReadonlyMap<string, DeclaredCluster>,
  inputs: ProposalInputs,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const { workspace, cluster } of proposals) {
    const before = declared.get(`${workspace}/${cluster.metadata.name}`);
    if (before) {
      const path = before.document.position.file;
      files.set(path, withIdentity(files.get(path) ?? before.text, before.document.index, cluster));
      continue;
    }
    const path = (inputs.path ?? defaultPath)
      .replaceAll("{workspace}", workspace)
      .replaceAll("{name}", cluster.metadata.name);
    const isTaken = inputs.snapshot.files.has(path) || files.has(path);
    const free = isTaken ? path.replace(/(\.[^./]*)?$/u, `-${sha256Hex(path).slice(0, 8)}$1`) : path;
    files.set(free, stringify(cluster, { lineWidth: 0, version: "1.1" }));
  }
  return files;
}

/** The file of a declared cluster with who it is; everything else, comments too, stays. */
function withIdentity(text: string, index: number, { spec }: Cluster): string {
  const { documents } = composeYaml(text, fileBounds, { keepsComments: true });
  const document = documents[index];
  if (document === undefined) return text;
  document.setIn(["spec", "clientID"], spec?.clientID);
  const keys = spec?.identity?.keys;
  if (keys) document.setIn(["spec", "identity", "keys"], document.createNode(keys));
  return documents.map((each) => each.toString({ lineWidth: 0 })).join("");
}

function messageOf(proposals: readonly Proposal[]): string {
  const names = proposals.map(({ workspace, cluster }) => `${workspace}/${cluster.metadata.name}`);
  const [first = "", ...others] = names;
  const subject = `join: let ${first.slice(0, 60)}${others.length > 0 ? ` and ${others.length} more` : ""} in`;
  const lines = proposals.map(
    ({ workspace, token, registration, cluster }) =>
      `- ${workspace}/${cluster.metadata.name}: registration ${registration ?? "none"}, token ${token ?? "none"}`,
  );
  return `${subject}\n\nThey asked to join; merging this lets them in.\n\n${lines.join("\n")}\n`;
}
