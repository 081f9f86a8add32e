// resources: what this hub serves. Tables of built-in kinds, and the registry that CRDs join at run time.
import { apiVersionOf } from "../../model/kubernetes.ts";
import type {
  PrinterColumn,
  ResourceDefinition,
  ResourceHooks,
  SubresourceDefinition,
} from "../operations/resource-definition.ts";
import type { Schema } from "../schema/schema.ts";
import { schemaOf } from "../types/schema-of.ts";

const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;
export const halfVerbs = ["get", "patch", "update"] as const;

/** What differs between built-in kinds; the rest follows from the names. */
export interface BuiltInRow {
  readonly kind: string;
  /** Default: lower-case kind with an s. */
  readonly plural?: string;
  readonly isClusterScoped?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: all. */
  readonly verbs?: readonly string[];
  /** `status` and `scale` by name; others whole. */
  readonly subresources?: readonly (SubresourceDefinition | "status" | "scale")[];
  readonly columns?: readonly PrinterColumn[];
  readonly hooks?: ResourceHooks;
  /** A warning for every use of the kind. */
  readonly deprecationWarning?: string;
  /** Group/plural whose objects these are in another form. */
  readonly storage?: ResourceDefinition["storage"];
}

const scaleSubresource: SubresourceDefinition = {
  name: "scale",
  kind: { group: "autoscaling", version: "v1", kind: "Scale" },
  verbs: halfVerbs,
  scale: { specPath: ".spec.replicas", statusPath: ".status.replicas", selectorPath: ".spec.selector" },
};

/** Of a kind whose selector is a map of labels. */
export const scaleByLabels: SubresourceDefinition = {
  ...scaleSubresource,
  scale: { specPath: ".spec.replicas", statusPath: ".status.replicas", labelsPath: ".spec.selector" },
};

/** The definition of a built-in kind. Its schema is made when it is first asked for. */
export function defineBuiltIn(group: string, version: string, row: BuiltInRow): ResourceDefinition {
  const singular = row.kind.toLowerCase();
  const plural = row.plural ?? `${singular}s`;
  let schema: Schema | undefined;
  return {
    group,
    version,
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural,
    singular,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    isNamespaced: row.isClusterScoped !== true,
    verbs: row.verbs ?? allVerbs,
    subresources: (row.subresources ?? []).map(asSubresource),
    get schema() {
      schema ??= schemaOf(group, version, row.kind) ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      return schema;
    },
    isCustom: false,
    columns: row.columns ?? [],
    storage: row.storage ?? {
      prefix: `/${group}/${plural}/`,
      apiVersion: apiVersionOf({ group, version }),
    },
    hooks: row.hooks ?? {},
    ...(row.deprecationWarning === undefined ? {} : { deprecationWarning: row.deprecationWarning }),
  };
}

function asSubresource(subresource: SubresourceDefinition | "status" | "scale"): SubresourceDefinition {
  if (subresource === "status") return { name: "status", verbs: halfVerbs };
  return subresource === "scale" ? scaleSubresource : subresource;
}
