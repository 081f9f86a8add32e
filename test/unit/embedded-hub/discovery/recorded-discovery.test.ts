import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { objectAt, textAt } from "../../../../src/core/read-json.ts";
import { definitionsOfCrd } from "../../../../src/embedded-hub/crds/crd-definitions.ts";
import { grantNames } from "../../../../src/embedded-hub/crds/crd-names.ts";
import { aggregatedDiscovery } from "../../../../src/embedded-hub/discovery/aggregated-discovery.ts";
import { OpenApiV2 } from "../../../../src/embedded-hub/discovery/openapi-v2.ts";
import { OpenApiV3 } from "../../../../src/embedded-hub/discovery/openapi-v3.ts";
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "../../../../src/embedded-hub/discovery/resource-lists.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

interface Operation {
  readonly action: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Of the bodies of a patch. */
  readonly types?: readonly string[];
  /** References to what it answers with, and to its body. */
  readonly answer?: string;
  readonly takes?: string;
  /** The parameters of its path. */
  readonly place: readonly string[];
  /** Names and types of the query. */
  readonly query: readonly string[];
}

/** What kube-apiserver 1.34 serves, which is more than this hub does: each thing that both serve is the same. */
interface Recording {
  readonly crds: readonly KubeObject[];
  /** By path. */
  readonly lists: Readonly<Record<string, JsonObject & { readonly resources: readonly JsonObject[] }>>;
  readonly groups: readonly (JsonObject & { readonly name: string })[];
  readonly aggregated: readonly Group[];
  /** OpenAPI v3, without descriptions and, of built-in kinds, without defaults. */
  readonly documents: Readonly<Record<string, Document>>;
  /** Schemas of OpenAPI v2 in the same form. */
  readonly swagger: Readonly<Record<string, JsonObject>>;
}

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources: readonly JsonObject[] }[];
}

interface Document {
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const file = new URL("golden/discovery.json", import.meta.url);
const recording = JSON.parse(readFileSync(file, "utf8")) as Recording;

function startRegistry(): ResourceRegistry {
  const registry = new ResourceRegistry(builtInResources());
  for (const crd of recording.crds) {
    const { acceptedNames } = grantNames(crd, []);
    registry.setCustom(crd.metadata.name, definitionsOfCrd({ ...crd, status: { acceptedNames } }));
  }
  return registry;
}

const registry = startRegistry();
const describeNothing = () => ({ text: "", fields: new Map<string, string>() });

/** Without descriptions. */
function formOf(value: Json, isOfProperties = false): Json {
  if (Array.isArray(value)) return value.map((item: Json) => formOf(item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key, item]) => {
    return item !== undefined && (isOfProperties || key !== "description" || typeof item !== "string");
  });
  const [[name, item] = [], ...more] = entries;
  // A reference has no description beside it.
  if (name === "allOf" && more.length === 0 && Array.isArray(item) && item.length === 1) return formOf(item[0] as Json);
  return Object.fromEntries(entries.map(([key, part]) => [key, formOf(part ?? null, key === "properties")]));
}

/** This hub gives the defaults of a few built-in fields only. */
function schemaForm(name: string, schema: JsonObject | undefined): Json {
  const form = formOf(schema ?? null);
  return name.startsWith("org.example.") ? form : withoutDefaults(form);
}

function withoutDefaults(value: Json, isOfProperties = false): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutDefaults(item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => isOfProperties || key !== "default");
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutDefaults(item ?? null, key === "properties")]));
}

function byResource(rows: readonly JsonObject[]): readonly JsonObject[] {
  const resourceOf = (row: JsonObject): string => textAt(row, "name")?.split("/")[0] ?? "";
  return [...rows].sort((a, b) => (resourceOf(a) < resourceOf(b) ? -1 : resourceOf(a) > resourceOf(b) ? 1 : 0));
}

describe("lists of what is served, as they were recorded", () => {
  it.each(Object.entries(recording.lists))("%s", (path, { resources, ...head }) => {
    const [group = "", version = ""] = path.startsWith("/apis/") ? path.split("/").slice(2) : ["", path.slice(5)];
    const own = apiResourceList(registry, group, version) as typeof head & {
      readonly resources: readonly JsonObject[];
    };
    const { resources: rows, ...ownHead } = own;
    expect(ownHead).toEqual(head);
    const known = resources.filter(({ name }) => rows.some((row) => row["name"] === name));
    // kube-apiserver lists custom kinds in the order in which they were last changed.
    expect(byResource(rows)).toEqual(byResource(known));
  });

  it("the groups, one by one and together", () => {
    const { groups } = apiGroupList(registry) as { readonly groups: readonly JsonObject[] };
    for (const { name, ...group } of recording.groups) {
      expect(groups).toContainEqual({ name, ...group });
      expect(apiGroup(registry, name)).toEqual({ kind: "APIGroup", apiVersion: "v1", name, ...group });
    }
    expect(groups.map(({ name }) => name)).not.toContain("");
    expect([apiGroup(registry, ""), apiGroup(registry, "nope"), apiResourceList(registry, "apps", "v9")]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    expect(apiVersions("10.0.0.1:443")).toMatchObject({ versions: ["v1"] });
  });

  it.each(recording.aggregated)("all at once: $metadata.name", ({ metadata, versions }) => {
    const { items } = JSON.parse(aggregatedDiscovery(registry, "apis").body) as { readonly items: readonly Group[] };
    const own = items.find((item) => item.metadata.name === metadata.name);
    for (const { version, resources, ...rest } of own?.versions ?? []) {
      const recorded = versions.find((one) => one.version === version);
      const known = recorded?.resources.filter(({ resource }) => resources.some((row) => row["resource"] === resource));
      expect({ resources, ...rest }).toEqual({ freshness: "Current", resources: known });
    }
    const core = JSON.parse(aggregatedDiscovery(registry, "api").body) as { readonly items: readonly Group[] };
    expect(core.items.map((item) => item.metadata)).toEqual([{}]);
  });
});

/** The schema of a body, by the first of its types. */
function referenceIn(body: Json | undefined): string | undefined {
  const [content] = Object.values(objectAt(body, "content") ?? {});
  return textAt(content, "schema", "$ref");
}

describe("a document of OpenAPI that was recorded", () => {
  const served = { definitions: () => registry.definitions(), groups: () => registry.groups(), version: 1 };
  it.each(Object.entries(recording.documents))("%s", (path, { schemas, paths }) => {
    const own = JSON.parse(new OpenApiV3(served, describeNothing).document(path)?.body ?? "{}") as {
      readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
      readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
    };
    for (const [name, schema] of Object.entries(schemas)) {
      expect([name, schemaForm(name, own.components.schemas[name])]).toEqual([name, schemaForm(name, schema)]);
    }
    for (const [at, operations] of Object.entries(paths)) {
      const item = own.paths[at] ?? {};
      expect([at, Object.keys(item).filter((key) => key !== "parameters")]).toEqual([at, Object.keys(operations)]);
      for (const [method, { action, types, query, answer, takes, place, ...kind }] of Object.entries(operations)) {
        const operation = item[method] ?? {};
        expect([operation["x-kubernetes-action"], operation["x-kubernetes-group-version-kind"]]).toEqual([
          action,
          kind,
        ]);
        const parametersOfPath = (item["parameters"] ?? []) as unknown as readonly JsonObject[];
        expect(parametersOfPath.map(({ name }) => name).sort()).toEqual(place);
        for (const parameter of parametersOfPath) expect(parameter).toMatchObject({ in: "path", required: true });
        const answers = operation["responses"] as JsonObject | undefined;
        if (method !== "delete") expect(referenceIn(answers?.["200"])).toBe(answer);
        if (takes !== undefined) expect(operation["requestBody"]).toMatchObject({ required: true });
        if (takes !== undefined) expect(referenceIn(operation["requestBody"])).toBe(takes);
        const { content = {} } = (operation["requestBody"] ?? {}) as { readonly content?: object };
        if (types !== undefined) expect(Object.keys(content).sort()).toEqual(types);
        const parameters = (operation["parameters"] ?? []) as readonly { name: string; schema: { type: string } }[];
        const known = parameters.map(({ name, schema }) => `${name} ${schema.type}`);
        // kube-apiserver has others at a delete.
        if (method !== "delete") expect(known.filter((one) => !query.includes(one))).toEqual([]);
      }
    }
  });

  it("of version 2 has the same schemas, as far as it can", () => {
    const { definitions } = JSON.parse(new OpenApiV2(served, describeNothing).document().body) as {
      readonly definitions: Readonly<Record<string, JsonObject>>;
    };
    for (const [name, schema] of Object.entries(recording.swagger)) {
      expect([name, schemaForm(name, definitions[name])]).toEqual([name, schemaForm(name, schema)]);
    }
  });

  it("is made anew when other kinds are served, and only where some are", () => {
    const own = startRegistry();
    let version = 1;
    const changing = {
      definitions: () => own.definitions(),
      groups: () => own.groups(),
      get version() {
        return version;
      },
    };
    const [v3, v2] = [new OpenApiV3(changing, describeNothing), new OpenApiV2(changing, describeNothing)];
    const path = "apis/disc.example.org/v1";
    const before = [v3.document(path), v3.protobufBody(path), v2.document(), v2.protobufBody()] as const;
    const again = [v3.document(path), v3.protobufBody(path), v2.document(), v2.protobufBody()] as const;
    for (const [index, document] of again.entries()) expect(document).toBe(before[index]);
    const { paths } = JSON.parse(v3.index()) as {
      readonly paths: Readonly<Record<string, { serverRelativeURL: string }>>;
    };
    expect(paths[path]?.serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${before[0]?.hash ?? ""}`);
    expect(paths).toHaveProperty("api/v1");
    own.replaceCustom("plains.disc.example.org", []);
    version = 2;
    expect(v3.document(path)?.hash).not.toBe(before[0]?.hash);
    expect(v2.document().hash).not.toBe(before[2].hash);
    expect([v3.protobufBody(path), v2.protobufBody()]).not.toContain(before[1]);
    expect(v2.protobufBody()).not.toBe(before[3]);
    for (const other of ["apis/nope/v1", "api/v2", `${path}/x`, "apis//v1", "", "other/v1"]) {
      expect([other, v3.document(other), v3.protobufBody(other)]).toEqual([other, undefined, undefined]);
    }
  });

  it("has the descriptions of kinds and of their fields", () => {
    const described = new OpenApiV3(served, (name) => {
      return { text: `about ${name}`, fields: new Map([["spec", "the field"]]) };
    });
    const { components } = JSON.parse(described.document("apis/policy/v1")?.body ?? "{}") as {
      readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
    };
    const budget = components.schemas["io.k8s.api.policy.v1.PodDisruptionBudget"];
    expect(budget?.["description"]).toBe("about io.k8s.api.policy.v1.PodDisruptionBudget");
    expect(budget).toMatchObject({ properties: { spec: { description: "the field" } } });
  });
});
