import { fleetDocuments } from "../manifests/fleet-document.ts";
import { toDeclaredFleet } from "../manifests/to-declared-fleet.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { createFileParser } from "../manifests/parse-file.ts";
import { maxFileBytes } from "../manifests/decode-text.ts";
import { selectFiles } from "../manifests/select-files.ts";
import type { ParsedFile, SourceDocument } from "../model/source.ts";
import { AppError } from "../core/errors.ts";
import { listWorkTree, readWorkTreeFile } from "./read-work-tree.ts";

/** A document of a work tree, with its file. */
export interface DeclaredDocument {
  readonly file: ParsedFile;
  readonly document: SourceDocument;
}

/**
 * Every valid document of a work tree's files.
 * @throws E_READ
 */
export function readDeclaredDocuments(dir: string): DeclaredDocument[] {
  const parseFile = createFileParser();
  const entries = listWorkTree(dir);
  return selectFiles(entries, { ignoreText: readIgnoreFile(dir, entries) }).files.flatMap(({ path }) => {
    const bytes = readWorkTreeFile(dir, path, maxFileBytes);
    if (bytes === undefined) return [];
    const file = parseFile({ path, blobId: "", bytes });
    return file.documents.map((document) => ({ file, document }));
  });
}

/** Those that declare an object of this kind and name; without a workspace, in any. */
export function documentsOf(
  declared: readonly DeclaredDocument[],
  kind: string,
  name: string,
  workspace?: string,
): DeclaredDocument[] {
  return declared.filter(({ document: { object } }) => {
    const { namespace } = object.metadata;
    const isThere = workspace === undefined || namespace === undefined || namespace === workspace;
    return object.kind === kind && object.metadata.name === name && isThere;
  });
}

/** A document that declares a cluster, of whichever project its kind is, and the Cluster that it maps to. */
export interface DeclaredCluster extends DeclaredDocument {
  /** Without a workspace where the document names none. */
  readonly cluster: Cluster;
}

/** The documents that declare clusters. */
export function declaredClusters(declared: readonly DeclaredDocument[]): DeclaredCluster[] {
  return declared.flatMap((item) => {
    const [document] = fleetDocuments([{ documents: [item.document] }], undefined);
    if (document?.role !== "Cluster") return [];
    return toDeclaredFleet([document]).clusters.map(({ object }) => ({ ...item, cluster: object }));
  });
}

/** A document that declares a registration token, of whichever project its kind is, and the token that it maps to. */
export interface DeclaredToken extends DeclaredDocument {
  /** Without a workspace where the document names none. */
  readonly token: ClusterRegistrationToken;
}

/** The documents that declare registration tokens. */
export function declaredTokens(declared: readonly DeclaredDocument[]): DeclaredToken[] {
  return declared.flatMap((item) => {
    const [document] = fleetDocuments([{ documents: [item.document] }], undefined);
    if (document?.role !== "ClusterRegistrationToken") return [];
    return toDeclaredFleet([document]).tokens.map(({ object }) => ({ ...item, token: object }));
  });
}

/** @throws E_USAGE when a file declares such an object already */
export function refuseDeclared(dir: string, kind: string, name: string, workspace: string): void {
  const declared = readDeclaredDocuments(dir);
  const [found] =
    kind === "Cluster"
      ? clustersCalled(declaredClusters(declared), name, workspace)
      : documentsOf(declared, kind, name, workspace);
  if (!found) return;
  throw new AppError("E_USAGE", `${kind} ${workspace}/${name} is declared in ${found.file.path}: edit that file`);
}

/** A cluster that names no workspace may be in each. */
function clustersCalled(
  clusters: readonly DeclaredCluster[],
  name: string,
  workspace: string | undefined,
): DeclaredCluster[] {
  return clusters.filter(({ cluster: { metadata } }) => {
    const isThere = workspace === undefined || metadata.namespace === undefined || metadata.namespace === workspace;
    return metadata.name === name && isThere;
  });
}

function readIgnoreFile(dir: string, entries: ReturnType<typeof listWorkTree>): string {
  const name = ".rollcallignore";
  if (!entries.some(({ path, mode }) => path === name && mode === "file")) return "";
  return new TextDecoder().decode(readWorkTreeFile(dir, name, maxFileBytes));
}
