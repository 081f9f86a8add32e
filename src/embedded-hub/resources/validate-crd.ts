import { appendAll } from "../../core/append-all.ts";
import { PatternBudget } from "../../core/formats/patterns.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkLabel1035, checkSubdomain } from "../../core/formats/kube-names.ts";
import { forbidden, invalid, invalidStruct, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { conditionOf } from "./crd-conditions.ts";
import { validateRuleCosts } from "../rules/rule-costs.ts";
import { approvalAnnotation, approvalOf } from "./crd-approval.ts";
import { validateCrdSchema } from "./validate-crd-schema.ts";
import {
  validateColumns,
  validateDeprecation,
  validateSelectable,
  validateSubresources,
} from "./validate-crd-version.ts";

/**
 * What is wrong with a CustomResourceDefinition besides its metadata. `old` is absent on create.
 * Source: apiextensions-apiserver, apis/apiextensions/validation.
 */
export function validateCrd(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = validateSpec(crd);
  const costs = spec.length === 0 ? validateCosts(crd, old) : [];
  const errors = [...(old === undefined ? validateName(crd) : []), ...spec, ...costs];
  if (old !== undefined) appendAll(errors, validateImmutable(crd, old));
  return [...errors, ...validateStoredVersions(crd), ...validateApproval(crd, old)];
}

function validateName(crd: KubeObject): FieldError[] {
  const { name = "", generateName = "" } = crd.metadata;
  const wanted = `${textAt(crd, "spec", "names", "plural") ?? ""}.${textAt(crd, "spec", "group") ?? ""}`;
  const detail = 'must be spec.names.plural+"."+spec.group';
  return [
    ...(generateName === "" || generateName === wanted ? [] : [invalid("metadata.generateName", generateName, detail)]),
    ...(name === "" || name === wanted ? [] : [invalid("metadata.name", name, detail)]),
  ];
}

function validateSpec(crd: KubeObject): FieldError[] {
  const versions = objectsAt(crd, "spec", "versions");
  const errors = [...validateGroup(textAt(crd, "spec", "group") ?? ""), ...validateScope(crd)];
  for (const [index, version] of versions.entries()) {
    if (objectAt(version, "schema", "openAPIV3Schema") !== undefined) continue;
    errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  }
  const names = versions.map((version) => textAt(version, "name") ?? "");
  const shared = sharedParts(versions);
  const patterns = new PatternBudget();
  for (const [index, version] of versions.entries()) {
    const problems = checkLabel1035(names[index] ?? "");
    if (problems.length > 0)
      errors.push(invalid(`spec.versions[${index}].name`, names[index] ?? "", problems.join(",")));
    appendAll(errors, validateVersion(version, `spec.versions[${index}]`, shared, patterns));
  }
  const value =
    (valueAt(crd, "spec", "versions") ?? null) === null
      ? null
      : versions.map((version) => inServerForm(version, shared));
  if (new Set(names).size !== names.length)
    errors.push(invalidStruct("spec.versions", value, "must contain unique version names"));
  if (versions.filter((version) => isTrueAt(version, "storage")).length !== 1) {
    errors.push(invalidStruct("spec.versions", value, "must have exactly one version marked as storage version"));
  }
  const firstProblems = checkLabel1035(names[0] ?? "");
  if (firstProblems.length > 0 && names[0] !== "" && names[0] !== undefined) {
    errors.push(invalid("spec.version", names[0], firstProblems.join(",")));
  }
  appendAll(errors, validateNames(objectAt(crd, "spec", "names") ?? {}));
  const first = versions[0];
  if (first !== undefined) appendAll(errors, validateShared(first, shared, patterns));
  appendAll(errors, validateConversion(crd));
  if (isTrueAt(crd, "spec", "preserveUnknownFields")) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(invalid("spec.preserveUnknownFields", true, detail));
  }
  return errors;
}

function validateGroup(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const problems = checkSubdomain(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function validateScope(crd: KubeObject): FieldError[] {
  const scope = textAt(crd, "spec", "scope") ?? "";
  const scopes = ["Cluster", "Namespaced"];
  if (scope === "") return [required("spec.scope")];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

const sharableParts = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type SharedParts = ReadonlySet<(typeof sharableParts)[number]>;

/** Parts that all versions share are at the top in the server's own form: messages name them there. */
function sharedParts([first, ...rest]: readonly JsonObject[]): SharedParts {
  const isShared = (part: string): boolean =>
    first?.[part] !== undefined && rest.every((version) => isJsonEqual(version[part], first[part]));
  return new Set(sharableParts.filter(isShared));
}

/** As messages print it: what all versions share is not in it, and what differs is in it as it was sent. */
function inServerForm(version: JsonObject, shared: SharedParts): JsonObject {
  const part = (name: (typeof sharableParts)[number]): Json => (shared.has(name) ? null : (version[name] ?? null));
  return {
    Name: textAt(version, "name") ?? "",
    Served: isTrueAt(version, "served"),
    Storage: isTrueAt(version, "storage"),
    Deprecated: isTrueAt(version, "deprecated"),
    DeprecationWarning: textAt(version, "deprecationWarning") ?? null,
    Schema: part("schema"),
    Subresources: part("subresources"),
    AdditionalPrinterColumns: part("additionalPrinterColumns"),
    SelectableFields: part("selectableFields"),
  };
}

function validateVersion(
  version: JsonObject,
  path: string,
  shared: SharedParts,
  patterns: PatternBudget,
): FieldError[] {
  return [
    ...validateDeprecation(version, path),
    ...(shared.has("schema") ? [] : validateSchema(version, `${path}.schema`, patterns)),
    ...(shared.has("subresources") ? [] : validateSubresources(version, `${path}.subresources`)),
    ...(shared.has("additionalPrinterColumns") ? [] : validateColumns(version, `${path}.additionalPrinterColumns`)),
    ...(shared.has("selectableFields") ? [] : validateOwnSelectable(version, `${path}.selectableFields`, shared)),
  ];
}

function validateShared(version: JsonObject, shared: SharedParts, patterns: PatternBudget): FieldError[] {
  return [
    ...(shared.has("schema") ? validateSchema(version, "spec.validation", patterns) : []),
    ...(shared.has("subresources") ? validateSubresources(version, "spec.subresources") : []),
    ...(shared.has("additionalPrinterColumns") ? validateColumns(version, "spec.additionalPrinterColumns") : []),
    ...(shared.has("selectableFields") ? validateSharedSelectable(version, "spec.selectableFields", shared) : []),
  ];
}

/** Those of one version: kube-apiserver finds no schema for them when it is one for all versions. */
function validateOwnSelectable(version: JsonObject, path: string, shared: SharedParts): FieldError[] {
  const hasOwnSchema = version["schema"] !== undefined && !shared.has("schema");
  if (hasOwnSchema || objectsAt(version, "selectableFields").length === 0) return validateSelectable(version, path);
  return [invalid(path, "", "may only be set when `version.schema.openAPIV3Schema` is not included")];
}

/** Those of all versions: they need one schema for all. */
function validateSharedSelectable(version: JsonObject, path: string, shared: SharedParts): FieldError[] {
  if (shared.has("schema") || objectsAt(version, "selectableFields").length === 0)
    return validateSelectable(version, path);
  return [invalid(path, "", "may only be set when validations.schema is included")];
}

function validateSchema(version: JsonObject, path: string, patterns: PatternBudget): FieldError[] {
  const schema = objectAt(version, "schema", "openAPIV3Schema");
  if (schema === undefined) return [];
  const hasStatus = objectAt(version, "subresources", "status") !== undefined;
  return validateCrdSchema(schema, `${path}.openAPIV3Schema`, { hasStatus, patterns });
}

/** What the rules of schemas that are new or changed cost. */
function validateCosts(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const versions = objectsAt(crd, "spec", "versions");
  const known = new Map(
    objectsAt(old, "spec", "versions").map((version) => [textAt(version, "name"), version["schema"]] as const),
  );
  const changed = versions
    .map((version, index) => ({ version, path: `spec.versions[${index}].schema` }))
    .filter(({ version }) => !isJsonEqual(version["schema"], known.get(textAt(version, "name"))));
  const isOne = sharedParts(versions).has("schema");
  return changed.slice(0, isOne ? 1 : undefined).flatMap(({ version, path }) => {
    const schema = objectAt(version, "schema", "openAPIV3Schema") ?? {};
    return validateRuleCosts(schema, `${isOne ? "spec.validation" : path}.openAPIV3Schema`);
  });
}

function validateNames(names: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["plural", "singular", "kind", "listKind"]) {
    if ((textAt(names, key) ?? "") === "") errors.push(required(`spec.names.${key}`));
  }
  const check = (field: string, value: string, isKind: boolean): void => {
    const problems = checkLabel1035(isKind ? value.toLowerCase() : value);
    const prefix = isKind ? "may have mixed case, but should otherwise match: " : "";
    if (problems.length > 0) errors.push(invalid(`spec.names.${field}`, value, prefix + problems.join(",")));
  };
  const checkNamed = (field: string, value: string, isKind: boolean): void => {
    if (value !== "") check(field, value, isKind);
  };
  checkNamed("plural", textAt(names, "plural") ?? "", false);
  checkNamed("singular", textAt(names, "singular") ?? "", false);
  const kind = textAt(names, "kind") ?? "";
  const listKind = textAt(names, "listKind") ?? "";
  checkNamed("kind", kind, true);
  checkNamed("listKind", listKind, true);
  for (const [index, name] of textsAt(names, "shortNames").entries()) check(`shortNames[${index}]`, name, false);
  if (kind !== "" && kind === listKind) {
    errors.push(invalid("spec.names.listKind", listKind, "kind and listKind may not be the same"));
  }
  for (const [index, name] of textsAt(names, "categories").entries()) check(`categories[${index}]`, name, false);
  return errors;
}

/** This hub converts by changing apiVersion alone: it calls no webhooks. */
function validateConversion(crd: KubeObject): FieldError[] {
  const conversion = objectAt(crd, "spec", "conversion");
  const strategy = textAt(conversion, "strategy") ?? (conversion === undefined ? "None" : "");
  const field = "spec.conversion.strategy";
  if (strategy === "Webhook") return [forbidden(field, "conversion webhooks are not supported by this hub")];
  const errors = strategy === "" ? [required(field)] : [];
  if (strategy !== "" && strategy !== "None") errors.push(notSupported(field, strategy, ["None", "Webhook"]));
  const detail = "should not be set when strategy is not set to Webhook";
  if (objectAt(conversion, "webhook", "clientConfig") !== undefined) {
    errors.push(forbidden("spec.conversion.webhookClientConfig", detail));
  }
  if (textsAt(conversion, "webhook", "conversionReviewVersions").length > 0) {
    errors.push(forbidden("spec.conversion.conversionReviewVersions", detail));
  }
  return errors;
}

function validateImmutable(crd: KubeObject, old: KubeObject): FieldError[] {
  const wasEstablished = conditionOf(old, "Established")?.status === "True";
  const paths = [...(wasEstablished ? [["scope"], ["names", "kind"]] : []), ["group"], ["names", "plural"]];
  return paths.flatMap((path) => {
    const value = textAt(crd, "spec", ...path) ?? "";
    return value === textAt(old, "spec", ...path)
      ? []
      : [invalid(`spec.${path.join(".")}`, value, "field is immutable")];
  });
}

function validateStoredVersions(crd: KubeObject): FieldError[] {
  const field = "status.storedVersions";
  const stored = textsAt(crd, "status", "storedVersions");
  if (stored.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const missing = new Set(stored);
  const errors: FieldError[] = [];
  for (const version of objectsAt(crd, "spec", "versions")) {
    const name = textAt(version, "name") ?? "";
    if (isTrueAt(version, "storage") && !missing.has(name)) {
      errors.push(invalid(field, stored, `must have the storage version ${name}`));
    }
    missing.delete(name);
  }
  for (const [index, name] of stored.entries()) {
    if (!missing.has(name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(`${field}[${index}]`, name, detail));
  }
  return errors;
}

/** Groups of Kubernetes itself need an approval. */
function validateApproval(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const approval = crd.metadata.annotations?.[approvalAnnotation];
  if (old !== undefined && old.metadata.annotations?.[approvalAnnotation] === approval) return [];
  const { reason, message } = approvalOf(crd) ?? { reason: "", message: "" };
  const field = `metadata.annotations[${approvalAnnotation}]`;
  if (reason === "MissingAnnotation") return [required(field, message)];
  return reason === "InvalidAnnotation" ? [invalid(field, approval ?? "", message)] : [];
}
