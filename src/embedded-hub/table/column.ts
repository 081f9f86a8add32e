// table: objects as rows of text, as `kubectl get` shows them. One file per group of kinds; custom kinds bring paths.
import { isJsonObject } from "../../core/json.ts";
import { numberAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { sinceText } from "../../core/human-duration.ts";

type Cell = PrinterColumn["cell"];

/** A column of texts; `wide` ones show with `-o wide`. */
export function column(name: string, cell: Cell, width: "always" | "wide" = "always"): PrinterColumn {
  return { name, type: "string", priority: width === "wide" ? 1 : 0, cell };
}

export function integerColumn(name: string, cell: (object: KubeObject) => number): PrinterColumn {
  return { name, type: "integer", priority: 0, cell };
}

/** As the API documents the field. */
const nameDescription =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client " +
  "to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and " +
  "configuration definition. Cannot be updated. " +
  "More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

export const nameColumn: PrinterColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: nameDescription,
  priority: 0,
  cell: (object) => object.metadata.name,
};

export const ageColumn = column("Age", (object, nowMs) => sinceText(object.metadata.creationTimestamp, nowMs));

/** What kinds without columns of their own show. */
export const defaultColumns: readonly PrinterColumn[] = [
  nameColumn,
  {
    name: "Created At",
    type: "date",
    priority: 0,
    cell: (object) => object.metadata.creationTimestamp ?? null,
  },
];

/** Of a Scale. */
export const scaleColumns: readonly PrinterColumn[] = [
  column("Name", ({ metadata }) => metadata.name),
  integerColumn("Desired", (scale) => numberAt(scale, "spec", "replicas") ?? 0),
  integerColumn("Available", (scale) => numberAt(scale, "status", "replicas") ?? 0),
  ageColumn,
];

/** `a=b,c=d`, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, unknown>> | undefined): string {
  const entries = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return entries.length === 0 ? "<none>" : entries.sort().join(",");
}

/** A label selector as text; `<none>` when it selects nothing special. */
export function selectorText(selector: unknown): string {
  if (!isJsonObject(selector)) return "<none>";
  const equal = Object.entries(textMapAt(selector, "matchLabels")).map(([key, value]) => [key, `${key}=${value}`]);
  const others = objectsAt(selector, "matchExpressions").map((expression) => {
    const key = textAt(expression, "key") ?? "";
    const values = [...textsAt(expression, "values")].sort().join(",");
    switch (textAt(expression, "operator")) {
      case "In":
        return [key, `${key} in (${values})`];
      case "NotIn":
        return [key, `${key} notin (${values})`];
      case "Exists":
        return [key, key];
      default:
        return [key, `!${key}`];
    }
  });
  const texts = [...equal, ...others]
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text);
  return texts.length === 0 ? "<none>" : texts.join(",");
}

/** The first three, and how many more there are. */
export function firstThree(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(",");
  if (texts.length > 3) return `${shown} + ${texts.length - 3} more...`;
  return shown === "" ? "<unset>" : shown;
}
