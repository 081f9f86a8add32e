import { sinceText } from "../../core/human-duration.ts";
import { compileJsonPath } from "../../core/json-path.ts";
import { stringifyJson } from "../../core/json.ts";
import { printable } from "../../core/printable.ts";
import { numberAt, objectsAt, textAt } from "../../core/read-json.ts";
import { crds } from "../../model/generated/crds.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import type { ObjectForm } from "./object-form.ts";
import { renderValue } from "./object-form.ts";
import { renderTable } from "./render-table.ts";

export interface ObjectsView {
  readonly type: ResourceType;
  readonly form: ObjectForm;
  /** Exactly one object was named: it is printed, not a List of it. */
  readonly isSingle: boolean;
  readonly nowMs: number;
}

/** Objects of one kind in the form of `-o`; the server's bookkeeping fields are left out, as in kubectl. */
export function renderObjects(objects: readonly KubeObject[], view: ObjectsView): string {
  const { type, form, isSingle, nowMs } = view;
  const [first] = objects;
  const value = isSingle && first !== undefined ? withoutManagers(first) : listOf(objects.map(withoutManagers));
  switch (form.kind) {
    case "table":
      return objects.length === 0 ? "" : renderTable([headerOf(type, form), ...rowsOf(objects, { type, form, nowMs })]);
    case "name":
      return objects
        .map(({ metadata: { name } }) => `${type.kind.toLowerCase()}.${type.group}/${printable(name)}\n`)
        .join("");
    case "jsonpath":
      return form.print(value);
    default:
      return renderValue(value, form.kind);
  }
}

type TableView = Omit<ObjectsView, "isSingle" | "form"> & {
  readonly form: Extract<ObjectForm, { readonly kind: "table" }>;
};

/** The columns of the definition, as `kubectl get` shows them, behind the namespace. */
export function headerOf(type: ResourceType, form: TableView["form"]): string[] {
  return ["NAMESPACE", "NAME", ...columnsOf(type, form).map((column) => (textAt(column, "name") ?? "").toUpperCase())];
}

export function rowsOf(objects: readonly KubeObject[], { type, form, nowMs }: TableView): string[][] {
  const columns = columnsOf(type, form).map((column) => ({
    type: textAt(column, "type") ?? "string",
    read: compileJsonPath(textAt(column, "jsonPath") ?? "") ?? (() => []),
  }));
  return objects.map((object) => [
    printable(object.metadata.namespace ?? ""),
    printable(object.metadata.name),
    ...columns.map((column) => printable(cellOf(column.read(object), column.type, nowMs))),
  ]);
}

function columnsOf(type: ResourceType, { isWide }: TableView["form"]) {
  const crd = crds.find((candidate) => textAt(candidate, "spec", "names", "kind") === type.kind);
  const [version] = objectsAt(crd, "spec", "versions");
  return objectsAt(version, "additionalPrinterColumns").filter(
    (column) => isWide || (numberAt(column, "priority") ?? 0) === 0,
  );
}

function cellOf([first]: readonly unknown[], type: string, nowMs: number): string {
  if (first === undefined || first === null) return "";
  if (type === "date") return typeof first === "string" ? sinceText(first, nowMs) : "<invalid>";
  return typeof first === "string" ? first : stringifyJson(first);
}

export function listOf(items: readonly KubeObject[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}

export function withoutManagers({ metadata, ...object }: KubeObject): KubeObject {
  const { managedFields: _managers, ...kept } = metadata as KubeObject["metadata"] & {
    readonly managedFields?: unknown;
  };
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: kept, ...rest };
}
