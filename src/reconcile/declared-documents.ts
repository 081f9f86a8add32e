import { memoizeWeak } from "../core/memoize-weak.ts";
import { fleetDocuments } from "../manifests/fleet-document.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { ParsedFile, SourceDocument } from "../model/source.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { DeclaredPlace } from "../planning/declared-place.ts";

/** What the files of a commit declare, by the object that it becomes on the hub. */
export interface DeclaredDocuments {
  /** The document of a Cluster, token or group of this name, in whichever dialect. */
  find(kind: string, workspace: string, name: string): SourceDocument | undefined;
  /** Whether a file with an error may declare it: then its content is unknown. */
  isBroken(kind: string, workspace: string, name: string): boolean;
}

/** The same index comes back for the same snapshot. */
export const indexDocuments = memoizeWeak(makeIndex);

function makeIndex({ parsed }: SourceSnapshot, defaultWorkspace: string | undefined): DeclaredDocuments {
  const files = [...parsed.values()];
  const found = new Map(
    fleetDocuments(files, defaultWorkspace).map(({ role, workspace = "", document }) => [
      keyOf(role, workspace, document.object.metadata.name),
      document,
    ]),
  );
  const broken = new Set(files.flatMap(({ brokenObjects }) => brokenObjects));
  const isUnidentified = files.some((file: ParsedFile) => file.isUnidentified);
  return {
    find: (kind, workspace, name) => found.get(keyOf(roleOfKind(kind), workspace, name)),
    isBroken: (kind, workspace, name) =>
      isUnidentified ||
      kindsOfRole(roleOfKind(kind)).some((each) =>
        [workspace, ""].some((place) => broken.has(`${each}/${place}/${name}`)),
      ),
  };
}

/** MemberCluster and ManagedCluster declare a Cluster. */
export function roleOfKind(kind: string): string {
  return kindsOfRole("Cluster").includes(kind) ? "Cluster" : kind;
}

/**
 * The document that declares the Cluster, token or group to which an object belongs. An object of another project's kind has
 * one only if the document is of the same kind: without it, a Cluster of ours is what the person declared.
 */
export function findDeclaration(
  documents: DeclaredDocuments,
  { apiVersion, kind }: KubeObject,
  { workspace, name, isItself }: DeclaredPlace,
): SourceDocument | undefined {
  const declared = documents.find(kind, workspace, name);
  const groupOf = (version: string): string => version.split("/")[0] ?? "";
  const isSameKind = declared?.object.kind === kind && groupOf(declared.object.apiVersion) === groupOf(apiVersion);
  return isItself || isSameKind ? declared : undefined;
}

/** The document of the same object in another version of its file. */
export function findDocument(file: ParsedFile | undefined, { kind, metadata }: KubeObject): SourceDocument | undefined {
  return file?.documents.find(
    ({ object }) =>
      object.kind === kind &&
      object.metadata.name === metadata.name &&
      object.metadata.namespace === metadata.namespace,
  );
}

function kindsOfRole(role: string): readonly string[] {
  return role === "Cluster" ? ["Cluster", "MemberCluster", "ManagedCluster"] : [role];
}

function keyOf(role: string, workspace: string, name: string): string {
  return `${role}/${workspace}/${name}`;
}
