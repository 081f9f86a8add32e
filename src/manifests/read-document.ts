import type { ErrorCode } from "../core/error-codes.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { checkCredential, checkSecret } from "./check-secret.ts";
import type { KindResult } from "./file-kinds.ts";
import { isSlashComment, slashComment } from "./explain-yaml-error.ts";
import { apiVersionOfKind, evaluateKind, isVersionAlone } from "./file-kinds.ts";
import { predecessorKey } from "./predecessor-key.ts";
import type { Place } from "./locate-value.ts";
import { checkMetadata } from "./check-metadata.ts";
import { readObject } from "./object-shape.ts";
import { withTextTtl } from "./plain-zero.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { showText } from "./schema-finding.ts";
import { validateDocument } from "./validate-document.ts";
import type { DocumentValidator } from "./validate-document.ts";
import { findTemplates, withTemplates } from "./unfilled-template.ts";
import { createForeignReader } from "./validate-foreign.ts";
import type { YamlDocument, YamlFinding } from "./yaml-document.ts";
import { isErrorFinding } from "./yaml-document.ts";
import { placeOfMeant } from "./stands-for.ts";

/** An offset in the text, or a place in the document. */
export type ProblemPlace = number | Omit<Place, "index">;

export interface DocumentFinding {
  readonly code: ErrorCode;
  readonly severity?: "error" | "warning";
  readonly place: ProblemPlace;
  readonly message: string;
  readonly fix?: string;
}

/** The content of one document. */
export interface DocumentReading {
  /** Undefined when the document is not ours, or has errors. */
  readonly object: KubeObject | undefined;
  readonly findings: readonly DocumentFinding[];
  /** `Kind/namespace/name` for people, as far as it is known. */
  readonly name?: string;
  /** The object that a document with errors declares, by its kind and by the kind that a foreign kind maps to. */
  readonly brokenObjects?: readonly string[];
  readonly isUnidentified: boolean;
}

/** Of an object on the hub. */
const maxNameLength = 253;

const notOurs: DocumentReading = { object: undefined, findings: [], isUnidentified: false };

/** Reads documents: decides whose each is, and checks those that are ours. */
export function createDocumentReader(): (document: YamlDocument) => DocumentReading {
  const checks: Checks = { validate: validateDocument, readForeign: createForeignReader(validateDocument) };
  return (document) => {
    const { value, isReadable } = document;
    if (!isReadable) return unidentified(document.findings.map(atOffset));
    if (value === null) return notOurs;
    if (isJsonObject(value)) return readMap(value, document.findings, checks);
    if (Array.isArray(value)) return value.some(isOursOrBroken) ? unidentified([plainList(document)]) : notOurs;
    return unidentified([{ code: "E_YAML", place: document.offset, ...explainPlainValue(value) }]);
  };
}

/** Items of a List of kubectl, pasted with their hyphens. */
function plainList({ offset }: YamlDocument): DocumentFinding {
  return {
    code: "E_UNKNOWN_KIND",
    place: offset,
    message: "the document is a list of objects, not one object",
    fix: "Write each item as a document of its own, with a line of --- between them.",
  };
}

/** The first line of what git has in the place of a file that Git LFS keeps. */
const lfsPointer = "version https://git-lfs.github.com/spec/";

function explainPlainValue(value: Json): Pick<DocumentFinding, "message" | "fix"> {
  if (typeof value === "string" && value.startsWith(lfsPointer)) {
    return {
      message: "the file is a pointer of Git LFS; its content is not in git",
      fix: "Run `git lfs pull`, take the file out of .gitattributes and commit its content: `git add --renormalize FILE`. If it declares nothing, list it in .rollcallignore.",
    };
  }
  return {
    message: "the document is one plain value, not a map of keys and values",
    fix: "Write apiVersion, kind and metadata, or list the file in .rollcallignore.",
  };
}

interface Checks {
  readonly validate: DocumentValidator;
  readonly readForeign: ReturnType<typeof createForeignReader>;
}

function readMap(
  value: JsonObject,
  yamlFindings: readonly YamlFinding[],
  { validate, readForeign }: Checks,
): DocumentReading {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return readIncomplete(value);
  const result = evaluateKind(apiVersion, kind);
  const readAs = (role: string, check: () => Checked) => combine(check, { value, kind, role, yamlFindings });
  switch (result.kind) {
    case "notOurs":
      return notOurs;
    case "ignored":
      return { ...notOurs, findings: [{ code: "W_IGNORED_KIND", place: at("kind"), message: result.message }] };
    case "refused":
      return readRefused(value, result);
    case "own":
      return readAs(kind, () => {
        const own = withTextTtl(value);
        const findings = validate(result.schema, own);
        return withMetadata(own, { object: own as KubeObject, findings }, kind !== "Policy");
      });
    case "foreign": {
      const { isNamespaced, role } = result;
      return readAs(role === "approval" ? kind : role, () => {
        const findings = checkCredential(value);
        if (findings.length > 0) return { object: undefined, findings };
        return withMetadata(value, readForeign(value, { apiVersion, kind, isNamespaced }), true);
      });
    }
    case "secret":
      return readAs(kind, () => {
        const findings = checkSecret(value);
        return findings.length > 0
          ? { object: undefined, findings }
          : readObject(value, { apiVersion, kind, isNamespaced: true });
      });
  }
}

/** Adds what is wrong with labels and annotations, and templates that are not filled in. */
function withMetadata(value: JsonObject, { object, findings }: Checked, hasTemplates: boolean): Checked {
  const known = new Set(findings.map(({ path }) => JSON.stringify(path)));
  const metadata = checkMetadata(value).filter(({ path }) => !known.has(JSON.stringify(path)));
  const templates = hasTemplates ? findTemplates(value) : [];
  if (metadata.length === 0 && templates.length === 0) return { object, findings };
  return { object: undefined, findings: withTemplates([...findings, ...metadata], templates) };
}

function readRefused(value: JsonObject, result: Extract<KindResult, { kind: "refused" }>): DocumentReading {
  const items = value["items"];
  if (result.isList && value["apiVersion"] === "v1" && Array.isArray(items)) {
    if (!(items as readonly Json[]).some(isOursOrBroken)) return notOurs;
  }
  const { message, fix } = result;
  const finding: DocumentFinding = { code: "E_UNKNOWN_KIND", place: at(result.at), message, fix };
  return { object: undefined, findings: [finding], isUnidentified: result.mayDeclare };
}

function isOursOrBroken(item: Json): boolean {
  if (!isJsonObject(item)) return false;
  const { apiVersion, kind } = item;
  return (
    typeof apiVersion === "string" && typeof kind === "string" && evaluateKind(apiVersion, kind).kind !== "notOurs"
  );
}

/** A map without apiVersion or kind: of another program, unless the existing half, or a misspelt apiVersion, is ours. */
function readIncomplete(value: JsonObject): DocumentReading {
  const { apiVersion, kind } = value;
  const keys = Object.keys(value);
  if (typeof apiVersion === "string") {
    return isOfOurGroups(apiVersion) ? missing("kind", keys, "Write the kind, for example kind: Cluster.") : notOurs;
  }
  const meant = typeof kind === "string" && keys.includes("metadata") ? apiVersionOfKind(kind) : undefined;
  if (meant !== undefined) return missing("apiVersion", keys, `Write apiVersion: ${meant}.`);
  const misspelt = value[misspeltKey("apiVersion", keys) ?? ""];
  if (typeof misspelt !== "string" || !isOfOurGroups(misspelt)) return notOurs;
  return missing("apiVersion", keys, `Write apiVersion: ${misspelt}.`);
}

/** False for a version without a group: it is ours by its kind only. */
function isOfOurGroups(apiVersion: string): boolean {
  return !isVersionAlone(apiVersion) && evaluateKind(apiVersion, "Cluster").kind !== "notOurs";
}

function misspeltKey(field: string, keys: readonly string[]): string | undefined {
  return keys.find((key) => key !== "apiVersion" && key !== "kind" && nearestName(key, [field]) !== undefined);
}

function missing(field: "apiVersion" | "kind", keys: readonly string[], fix: string): DocumentReading {
  const comment = keys.find(isSlashComment);
  if (comment !== undefined) {
    return unidentified([{ code: "E_YAML", place: { path: [comment], part: "key" }, ...slashComment }]);
  }
  const misspelt = misspeltKey(field, keys);
  const hint = misspelt === undefined ? "" : `, did you mean it by ${showText(misspelt)}?`;
  const has = keys.includes(field) ? "is no text" : "is missing";
  const place = at(misspelt ?? (keys.includes(field) ? field : (keys[0] ?? field)));
  return unidentified([{ code: "E_UNKNOWN_KIND", place, message: `${field} ${has}${hint}`, fix }]);
}

interface Checked {
  readonly object: KubeObject | undefined;
  readonly findings: readonly SchemaFinding[];
}

interface Subject {
  readonly value: JsonObject;
  readonly kind: string;
  /** The kind of ours that the document maps to. */
  readonly role: string;
  readonly yamlFindings: readonly YamlFinding[];
}

/** Combines the findings of YAML and of the schema for a document that is ours. */
function combine(check: () => Checked, { value, kind, role, yamlFindings }: Subject): DocumentReading {
  const name = nameOf(value, kind);
  const yamlErrors = yamlFindings.filter(isErrorFinding);
  // Duplicate keys leave the rest of the document whole; after any other error its schema would report consequences of it.
  const isWhole = yamlErrors.every(({ code }) => code === "E_NOT_UNIQUE_KEY");
  const checked: Checked = isWhole ? check() : { object: undefined, findings: [] };
  const findings = [
    // A warning about a value of a Secret would disclose something about the value.
    ...(kind === "Secret" ? yamlErrors : yamlFindings).map(atOffset),
    ...checked.findings.map(atPath),
  ];
  const isBroken = yamlErrors.length > 0 || checked.findings.some(({ severity }) => severity !== "warning");
  if (!isBroken) return { object: checked.object, findings, name: name?.shown, isUnidentified: false };
  return {
    object: undefined,
    findings,
    name: name?.shown,
    brokenObjects: name && [
      ...new Set([brokenKey(kind, name.namespace, name.name), keyOfMeant(name, { value, kind, role })]),
      // What it would have taken the place of must not leave meanwhile.
      ...predecessorKey(value, name.namespace ?? ""),
    ],
    // A duplicate key leaves the name ambiguous.
    isUnidentified: name === undefined || yamlErrors.some(({ code }) => code === "E_NOT_UNIQUE_KEY"),
  };
}

/** What the document would declare, which may have another place and name than itself. */
function keyOfMeant(
  own: { readonly name: string; readonly namespace: string | undefined },
  { value, kind, role }: Pick<Subject, "value" | "kind" | "role">,
): string {
  const { namespace, name = own.name } = placeOfMeant(kind, value, own);
  return brokenKey(kind === "ClusterRegistrationRequest" ? "Cluster" : role, namespace, name);
}

/** `Kind/namespace/name` of an object in a document with problems; the namespace is empty where the document names none. */
function brokenKey(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ""}/${name}`;
}

function nameOf(
  value: JsonObject,
  kind: string,
): { name: string; namespace: string | undefined; shown: string } | undefined {
  const { metadata } = value;
  if (!isJsonObject(metadata) || typeof metadata["name"] !== "string" || metadata["name"] === "") return undefined;
  const { name } = metadata;
  const namespace = typeof metadata["namespace"] === "string" ? metadata["namespace"] : undefined;
  const parts = [kind, namespace, name].filter((part) => part !== undefined);
  return { name, namespace, shown: parts.map(shortened).join("/") };
}

/** Each problem of a document names its object, and a name in a file may be as long as the file. */
function shortened(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
}

function unidentified(findings: readonly DocumentFinding[]): DocumentReading {
  return { object: undefined, findings, isUnidentified: true };
}

function atOffset({ code, offset, message, fix }: YamlFinding): DocumentFinding {
  return { code, place: offset, message, fix };
}

function atPath({ path, part, code, severity, message, fix }: SchemaFinding): DocumentFinding {
  return { code, severity, place: { path, part }, message, fix };
}

function at(key: string): ProblemPlace {
  return { path: [key], part: "value" };
}
