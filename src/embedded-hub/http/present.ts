import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { ListPage, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { partialMetadata, renderScaleTable, renderTable, tableHead, tableRow } from "../table/render-table.ts";
import type { Encoding, OutputForm } from "./media-types.ts";
import { negotiateOutput } from "./media-types.ts";
import type { Turns } from "../operations/turns.ts";
import type { Rendered } from "./render.ts";
import { listMetadata, mapLazily, renderItems, renderList, renderServed, renderValue } from "./render.ts";
import { readIncludeObject } from "./table-options.ts";

/** The presentation of the answers to one request. */
export interface Presentation {
  readonly form: OutputForm;
  readonly definition: ResourceDefinition;
  readonly query: URLSearchParams;
  readonly nowMs: number;
  readonly turns: Turns;
}

const customEncodings: readonly Encoding[] = ["json", "yaml"];

/** What the client accepts of what the kind offers: custom kinds have no protobuf form. Throws 406. */
export function negotiateFor(definition: ResourceDefinition, accept: string | undefined): OutputForm {
  return negotiateOutput(accept, {
    ...(definition.isCustom ? { encodings: customEncodings } : {}),
    hasShapes: true,
    // What is only answered is in no table.
    hasTable: definition.verbs.includes("get"),
  });
}

export function presentServed(presentation: Presentation, served: ServedObject): Rendered {
  const { form } = presentation;
  return form.as === undefined ? renderServed(served, form) : presentObject(presentation, served.object);
}

export function presentObject(presentation: Presentation, object: KubeObject): Rendered {
  const { form, definition, query, nowMs } = presentation;
  const { encoding, version = "v1" } = form;
  switch (form.as) {
    case undefined:
      return renderValue(object, encoding);
    case "PartialObjectMetadata":
      return renderValue(partialMetadata(object, version), encoding, "meta.PartialObjectMetadata");
    case "PartialObjectMetadataList":
      throw notAList(definition, object);
    case "Table": {
      const includeObject = readIncludeObject(query);
      const { resourceVersion } = object.metadata;
      const metadata = resourceVersion === undefined ? {} : { resourceVersion };
      const options = { version, includeObject, nowMs, metadata };
      const table = isScale(object) ? renderScaleTable(object, options) : renderTable(definition, [object], options);
      return renderValue(table, encoding);
    }
  }
}

export async function presentList(presentation: Presentation, page: ListPage): Promise<Rendered> {
  const { form, definition, query, nowMs, turns } = presentation;
  const { encoding, version = "v1" } = form;
  const how = { encoding, turns };
  switch (form.as) {
    case undefined:
      return renderList(definition, page, how);
    case "PartialObjectMetadata": {
      const type = internalType(definition, definition.listKind);
      throw wrongShape(`PartialObjectMetadata, but the requested object is a list (${type})`);
    }
    case "PartialObjectMetadataList": {
      const head = {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${version}`,
        metadata: listMetadata(page),
      };
      const items = mapLazily(page.items, ({ object }) => partialMetadata(object, version));
      return renderItems({ head, key: "items", items, isNullWhenEmpty: true }, how, "meta.PartialObjectMetadataList");
    }
    case "Table": {
      const options = { version, includeObject: readIncludeObject(query), nowMs, metadata: listMetadata(page) };
      const rows = mapLazily(page.items, ({ object }) => tableRow(definition, object, options));
      // Kinds without columns of their own.
      const isNullWhenEmpty = definition.columns.length === 0;
      return renderItems({ head: tableHead(definition, options), key: "rows", items: rows, isNullWhenEmpty }, how);
    }
  }
}

function wrongShape(what: string): ApiFailure {
  return new ApiFailure(406, "NotAcceptable", `you requested ${what}`);
}

function isScale({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "autoscaling/v1" && kind === "Scale";
}

function notAList(definition: ResourceDefinition, object: KubeObject): ApiFailure {
  if (definition.isCustom && !isScale(object)) return new ApiFailure(500, "", "content is not a list");
  const scaleType = definition.isCustom ? "*v1.Scale" : "*autoscaling.Scale";
  const type = isScale(object) ? scaleType : internalType(definition, object.kind);
  return wrongShape(`PartialObjectMetadataList, but the requested object is not a list (${type})`);
}

/** The name of a type in the program of kube-apiserver, as its messages have it. */
function internalType({ isCustom, group }: ResourceDefinition, kind: string): string {
  if (isCustom) return "*unstructured.UnstructuredList";
  const folder = group === "" || group === "events.k8s.io" ? "core" : (group.split(".")[0] ?? "");
  return `*${folder}.${kind}`;
}
