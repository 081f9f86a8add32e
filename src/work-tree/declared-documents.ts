import { fleetDocuments } from "../manifests/fleet-document.ts";
import { toDeclaredFleet } from "../manifests/to-declared-fleet.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { createFileParser } from "../manifests/parse-file.ts";
import { maxFileBytes } from "../manifests/decode-text.ts";
import { selectFiles, tooLargeFile } from "../manifests/select-files.ts";
import type { ParsedFile, SourceDocument } from "../model/source.ts";
import { AppError } from "../core/errors.ts";
import { listWithLeftOut, openTrackedFiles, readIgnoreText } from "./read-folder.ts";
import { readWorkTreeFile } from "./read-work-tree.ts";

/** A document of a work tree, with its file. */
export interface DeclaredDocument {
  readonly file: ParsedFile;
  readonly document: SourceDocument;
  /** Whether a sparse checkout leaves the file out: it is not in the folder. */
  readonly isLeftOut: boolean;
}

/** A file of a work tree. */
export interface WorkTreeFile {
  readonly file: ParsedFile;
  /** As of {@link DeclaredDocument}. */
  readonly isLeftOut: boolean;
}

/**
 * Every valid document of a work tree's files, also of those that a sparse checkout leaves out; without those that git ignores.
 * @throws E_READ
 */
export async function readDeclaredDocuments(dir: string): Promise<DeclaredDocument[]> {
  return documentsIn((await readFleetFiles(dir)).files);
}

/** Their valid documents. */
export function documentsIn(files: readonly WorkTreeFile[]): DeclaredDocument[] {
  return files.flatMap(({ file, isLeftOut }) => file.documents.map((document) => ({ file, document, isLeftOut })));
}

export interface FleetFiles {
  readonly files: readonly WorkTreeFile[];
  /** Whether a sparse checkout may leave out more of them. */
  readonly isCut: boolean;
}

/** The files of these documents, and those without a valid one. @throws as {@link readDeclaredDocuments} */
export async function readFleetFiles(dir: string): Promise<FleetFiles> {
  const parseFile = createFileParser();
  const known = await openTrackedFiles(dir);
  const entries = listWithLeftOut(dir, known);
  const { files, problems } = selectFiles(entries, { ignoreText: readIgnoreText(dir, entries, known?.leftOut) });
  for (const { code, file, message, fix } of problems)
    if (code === "E_READ") throw new AppError(code, `read ${file}: ${message}`, { ...(fix ? { remedy: fix } : {}) });
  const read = files.flatMap(({ path }) => {
    const isLeftOut = known?.leftOut.has(path) === true;
    const bytes = isLeftOut ? known.leftOut.get(path) : readWorkTreeFile(dir, path, maxFileBytes);
    return [{ file: bytes ? parseFile({ path, blobId: "", bytes }) : tooLargeFile(path, ""), isLeftOut }];
  });
  return { files: read, isCut: known?.isCut === true };
}

/** Those that declare an object of this kind and name; without a workspace, in any. */
export function documentsOf(
  declared: readonly DeclaredDocument[],
  kind: string,
  name: string,
  workspace?: string,
): DeclaredDocument[] {
  return declared.filter(({ document: { object } }) => object.kind === kind && isCalled(object, name, workspace));
}

/** A document, of whichever project its kind is, and the object of this project that it maps to. */
export interface DeclaredObject<T extends KubeObject> extends DeclaredDocument {
  /** Without a workspace where the document names none. */
  readonly object: T;
}

/** The documents that declare clusters. */
export function declaredClusters(declared: readonly DeclaredDocument[]): DeclaredObject<Cluster>[] {
  return declaredIn(declared, ({ clusters }) => clusters);
}

/** The documents that declare registration tokens. */
export function declaredTokens(declared: readonly DeclaredDocument[]): DeclaredObject<ClusterRegistrationToken>[] {
  return declaredIn(declared, ({ tokens }) => tokens);
}

/** @throws E_USAGE when a file declares such a token already */
export async function refuseDeclaredToken(dir: string, name: string, workspace: string): Promise<void> {
  const [found] = documentsOf(await readDeclaredDocuments(dir), "ClusterRegistrationToken", name, workspace);
  if (found) throw declaredAlready("ClusterRegistrationToken", `${workspace}/${name}`, found.file);
}

/** E_USAGE for an object that cannot be added, because `file` has it. */
export function declaredAlready(kind: string, name: string, file: Pick<ParsedFile, "path">): AppError {
  return new AppError("E_USAGE", `${kind} ${name} is declared in ${file.path}: edit that file`);
}

/** Those of this name; without a workspace, in any. */
export function objectsCalled<T extends DeclaredObject<KubeObject>>(
  objects: readonly T[],
  name: string,
  workspace: string | undefined,
): T[] {
  return objects.filter(({ object }) => isCalled(object, name, workspace));
}

/** An object that names no workspace may be in each. */
function isCalled({ metadata }: KubeObject, name: string, workspace: string | undefined): boolean {
  const isThere = workspace === undefined || metadata.namespace === undefined || metadata.namespace === workspace;
  return metadata.name === name && isThere;
}

function declaredIn<T extends KubeObject>(
  declared: readonly DeclaredDocument[],
  read: (fleet: DeclaredFleet) => readonly Declared<T>[],
): DeclaredObject<T>[] {
  return declared.flatMap((item) => {
    const documents = fleetDocuments([{ documents: [item.document] }], undefined);
    return read(toDeclaredFleet(documents)).map(({ object }) => ({ ...item, object }));
  });
}
