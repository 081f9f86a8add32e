import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedFile, SourceDocument, SourcePosition } from "../model/source.ts";
import { maxProblems } from "./bound-problems.ts";
import type { ForeignRole } from "./file-kinds.ts";
import { evaluateKind } from "./file-kinds.ts";
import { predecessorKey } from "./predecessor-key.ts";
import type { Locator } from "./locate-value.ts";
import { createLocator, maxLocatedLength } from "./locate-value.ts";
import { placeOfMeant } from "./stands-for.ts";
import type { SchemaFinding } from "./schema-finding.ts";

/** What a document is for the fleet; foreign kinds have the role of the kind that they map to. */
export type FleetRole =
  | "Cluster"
  | "ClusterRegistrationToken"
  | "ClusterGroup"
  | "ClusterLabels"
  | "ClusterDefaults"
  | "Policy"
  | "Secret"
  | "approval";

/** A document on its way into the fleet. */
export interface FleetDocument {
  readonly document: SourceDocument;
  readonly object: KubeObject;
  readonly role: FleetRole;
  readonly isForeign: boolean;
  /** The file's namespace, or the default workspace; undefined for rules that name none. */
  readonly workspace: string | undefined;
}

/** Rules apply in all workspaces when they name none. */
const ruleRoles: readonly FleetRole[] = ["ClusterLabels", "ClusterDefaults", "Policy"];

/** Every document of the files, with its workspace filled in. */
export function fleetDocuments(
  files: readonly Pick<ParsedFile, "documents">[],
  defaultWorkspace: string | undefined,
): FleetDocument[] {
  const documents: FleetDocument[] = [];
  const roles = new Map<string, ReturnType<typeof roleOf>>();
  for (const file of files) {
    for (const document of file.documents) {
      const { object } = document;
      const key = `${object.apiVersion} ${object.kind}`;
      if (!roles.has(key)) roles.set(key, roleOf(object));
      const found = roles.get(key);
      if (found === undefined) continue;
      const { role, isForeign } = found;
      const { namespace } = placeOfMeant(object.kind, object, object.metadata);
      const workspace = namespace ?? (ruleRoles.includes(role) ? undefined : defaultWorkspace);
      documents.push({ document, object, role, isForeign, workspace });
    }
  }
  return documents;
}

function roleOf({ apiVersion, kind }: KubeObject): { role: FleetRole; isForeign: boolean } | undefined {
  const result = evaluateKind(apiVersion, kind);
  if (result.kind === "own") return { role: result.schema, isForeign: false };
  if (result.kind === "foreign") return { role: result.role satisfies ForeignRole, isForeign: true };
  return result.kind === "secret" ? { role: "Secret", isForeign: false } : undefined;
}

/** Collects problems of documents; a document with an error does not get into the fleet. */
export interface FleetReport {
  /** Adds a problem at a place of the document; severity is error by default. */
  add(subject: FleetDocument, finding: SchemaFinding): void;
  /** Where a place of the document is. */
  positionOf(subject: FleetDocument, place: Pick<SchemaFinding, "path" | "part">): SourcePosition;
  isRefused(subject: FleetDocument): boolean;
  readonly problems: Problem[];
}

/**
 * A report on documents of these files; a file is parsed again only when a place in it is asked for. After twice as many
 * places as problems are kept, and in files beyond {@link maxLocatedLength}, each is that of its document.
 */
export function createFleetReport(files: readonly ParsedFile[]): FleetReport {
  const problems: Problem[] = [];
  const refused = new Set<FleetDocument>();
  const texts = new Map(files.map((file) => [file.path, file]));
  const locators = new Map<string, Locator>();
  let located = 0;
  let locatedLength = 0;

  function positionOf({ document }: FleetDocument, place: Pick<SchemaFinding, "path" | "part">): SourcePosition {
    const { position, index, blobId } = document;
    const file = texts.get(position.file);
    // A document may be the last good one of a file that has errors now: its places are not in the present text.
    if (file === undefined || file.blobId !== blobId) return position;
    // To find places, the whole file is read a second time, which is slower.
    located += 1;
    if (located > 2 * maxProblems) return position;
    let locate = locators.get(file.path);
    if (locate === undefined) {
      if (locatedLength >= maxLocatedLength) return position;
      locatedLength += file.text.length;
      locate = createLocator(file.text);
      locators.set(file.path, locate);
    }
    return { file: file.path, ...locate({ index, path: place.path, part: place.part }) };
  }

  return {
    problems,
    positionOf,
    isRefused: (subject) => refused.has(subject),
    add(subject, finding) {
      const { code, severity = "error", message, fix } = finding;
      if (severity === "error") refused.add(subject);
      const position = positionOf(subject, finding);
      const object = describeDocument(subject);
      problems.push({ code, severity, ...position, message, ...(fix === undefined ? {} : { fix }), object });
    },
  };
}

/** `Kind/namespace/name`, without the namespace where there is none. */
export function describeDocument({ object, workspace }: FleetDocument): string {
  return [object.kind, workspace, object.metadata.name].filter((part) => part !== undefined).join("/");
}

/**
 * The same as describeDocument, in the form of ParsedFile.brokenObjects; foreign kinds also count as what they map to,
 * and a cluster as the one whose place it takes.
 */
export function keysOfDocument({ object, role, workspace = "" }: FleetDocument): string[] {
  const { name } = object.metadata;
  const own = `${object.kind}/${workspace}/${name}`;
  const { name: meantName = name } = placeOfMeant(object.kind, object, object.metadata);
  const meant = `${role === "approval" ? "Cluster" : role}/${workspace}/${meantName}`;
  return [...new Set([own, meant, ...predecessorKey(object, workspace)])];
}
