import { setImmediate } from "node:timers/promises";
import { appendAll } from "../core/append-all.ts";
import { isJsonEqual } from "../core/json.ts";
import { fleetDocuments, keysOfDocument } from "../manifests/fleet-document.ts";
import type { Locator } from "../manifests/locate-value.ts";
import { createLocator, maxLocatedLength } from "../manifests/locate-value.ts";
import { toDeclaredFleet } from "../manifests/to-declared-fleet.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { Policy } from "../model/generated/policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";
import type { ParsedFile, SourceDocument, SourcePosition } from "../model/source.ts";

export interface PolicyContext {
  /** The files that the fleet was read from; they give places in policies their line and column. */
  readonly files: readonly ParsedFile[];
  /** As Repository.spec.policies. Default `Enforce`. */
  readonly mode?: "Enforce" | "Warn";
  /** The same documents as they were applied, for `oldObject`. Default: all are new. */
  readonly applied?: AppliedDocuments;
  /** Called with each document that a rule was not evaluated for, since its evaluation costs too much. */
  readonly onUnchecked?: (document: PlacedDocument) => void;
  /** Called with each document that breaks a rule whose violation is an error. */
  readonly onBroken?: (document: PlacedDocument) => void;
}

/** Where a document is, and in which version of its file. */
export interface PlacedDocument {
  readonly position: SourcePosition;
  readonly blobId?: string;
}

/** Finds documents as the applied commit has them; undefined where it has none of that name. */
export interface AppliedDocuments {
  oldOf(declared: Declared<KubeObject>): Declared<KubeObject> | undefined;
  asApplied(document: SourceDocument): SourceDocument | undefined;
}

/**
 * The problems that the fleet's own policies find in its documents; review and reconcile both come through here. Their
 * engine is loaded only when there are any. A policy that does not compile any more is kept as it was applied.
 */
export async function checkPolicies(fleet: DeclaredFleet, context: PolicyContext): Promise<readonly Problem[]> {
  if (fleet.policies.length === 0) return [];
  const { checkPolicy, evaluatePoliciesInSlices } = await import("../policy/evaluate-policies.ts");
  const { applied, mode, onUnchecked, onBroken } = context;
  const locate = locatorOf(context.files);
  const problems: Problem[] = [];
  const kept: Declared<Policy>[] = [];
  const others: Declared<Policy>[] = [];
  for (const policy of fleet.policies) {
    const before = applied?.oldOf(anyDeclared(policy)) as Declared<object> | undefined;
    const isChanged = before !== undefined && before.object !== policy.object;
    const broken = isChanged ? checkPolicy(policy, { locate }) : [];
    appendAll(problems, broken);
    const inForce = broken.length === 0 ? policy : (before as Declared<Policy>);
    (before !== undefined && isJsonEqual(before.object, inForce.object) ? kept : others).push(inForce);
    if (isChanged) await setImmediate();
  }
  // What was in force has its share of the limits first: a new policy takes none of it away.
  const policies = [...kept, ...others];
  const subjects = subjectsOf(fleet).map((declared) => {
    const oldObject = applied?.oldOf(declared)?.object;
    const { object, position, blobId } = declared;
    return { object, position, blobId, ...(oldObject ? { oldObject } : {}) };
  });
  const options = {
    ...{ locate, pause: () => setImmediate() },
    ...(mode === undefined ? {} : { mode }),
    ...(onUnchecked === undefined ? {} : { onUnchecked }),
    ...(onBroken === undefined ? {} : { onBroken }),
  };
  appendAll(problems, await evaluatePoliciesInSlices(policies, subjects, options));
  return problems.sort(compareProblems);
}

/** Every document that policies are asked about. */
function subjectsOf(fleet: DeclaredFleet): Declared<KubeObject>[] {
  const { clusters, tokens, groups, labelRules, defaultRules, secrets, foreignObjects } = fleet;
  return [...clusters, ...tokens, ...groups, ...labelRules, ...defaultRules, ...secrets, ...foreignObjects].map(
    anyDeclared,
  );
}

function anyDeclared(declared: Declared<object>): Declared<KubeObject> {
  return declared as Declared<KubeObject>;
}

/**
 * Documents of the applied commit from the files of it that changed since. What is in files that did not change
 * (`isChanged` is false) is as it was.
 */
export function appliedDocuments(
  changedFiles: readonly ParsedFile[],
  options: { readonly isChanged: (path: string) => boolean; readonly defaultWorkspace: string | undefined },
): AppliedDocuments {
  const { isChanged, defaultWorkspace } = options;
  const documents = fleetDocuments(changedFiles, defaultWorkspace);
  const before = toDeclaredFleet(documents);
  const byKey = new Map(
    [...subjectsOf(before), ...before.policies.map(anyDeclared)].map((declared) => [keyOf(declared), declared]),
  );
  const inFiles = new Map(
    documents.flatMap((item) => keysOfDocument(item).map((key): [string, SourceDocument] => [key, item.document])),
  );
  return {
    oldOf: (declared) => byKey.get(keyOf(declared)) ?? (isChanged(declared.position.file) ? undefined : declared),
    asApplied: (document) => {
      if (!isChanged(document.position.file)) return document;
      const [item] = fleetDocuments([{ documents: [document] }], defaultWorkspace);
      const [key = ""] = item === undefined ? [] : keysOfDocument(item);
      return inFiles.get(key);
    },
  };
}

function keyOf({ object: { apiVersion, kind, metadata } }: Declared<KubeObject>): string {
  return `${apiVersion} ${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}

/**
 * Gives places in policies their line and column. Each file is read once, and only when a place in it is asked for. In files
 * beyond {@link maxLocatedLength}, a place is that of its policy.
 */
function locatorOf(files: readonly ParsedFile[]) {
  const byName = new Map(files.map((file) => [`${file.blobId} ${file.path}`, file]));
  const locators = new Map<ParsedFile, PlacesOfFile>();
  let locatedLength = 0;
  return (policy: Declared<Policy>, path: readonly (string | number)[]): SourcePosition => {
    const { file: name, line } = policy.position;
    const file = byName.get(`${policy.blobId} ${name}`);
    if (file === undefined) return policy.position;
    let places = locators.get(file);
    if (places === undefined) {
      if (locatedLength >= maxLocatedLength) return policy.position;
      const { text, documents } = file;
      locatedLength += text.length;
      places = {
        locate: createLocator(text),
        indexOfLine: new Map(documents.map(({ position, index }) => [position.line, index])),
      };
      locators.set(file, places);
    }
    const index = places.indexOfLine.get(line);
    if (index === undefined) return policy.position;
    return { file: name, ...places.locate({ index, path, part: "value" }) };
  };
}

interface PlacesOfFile {
  readonly locate: Locator;
  /** The document that begins at a line. */
  readonly indexOfLine: ReadonlyMap<number, number>;
}
