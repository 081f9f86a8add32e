import type { Request } from "./replay.ts";

/** Uniform in [0, 1). */
export type Draw = () => number;

const managers = ["one", "two", "three"];
const names = ["a", "b", "c"];
const users = ["reader", "writer", "nobody"];

/** What a sequence needs: a namespace, a CRD, roles. Answers are compared too. */
export const preparation: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "NS" } } },
  {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: {
      metadata: { name: "things.GROUP" },
      spec: {
        group: "GROUP",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing" },
        versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, schema: thingSchema() }],
      },
    },
  },
  role("reader", ["get", "list"]),
  role("writer", ["get", "list", "create", "update", "patch", "delete"]),
  ...["reader", "writer"].map((name): Request => ({
    method: "POST",
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings",
    body: {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
    },
  })),
];

function role(name: string, verbs: readonly string[]): Request {
  return {
    method: "POST",
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
    body: { metadata: { name }, rules: [{ apiGroups: ["", "GROUP"], resources: ["configmaps", "things"], verbs }] },
  };
}

function thingSchema(): object {
  const text = { type: "string", maxLength: 20 };
  return {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["size"],
          properties: {
            size: { type: "integer", minimum: 0, maximum: 9 },
            mode: { type: "string", enum: ["x", "y"], default: "x" },
            tags: { type: "array", maxItems: 5, items: text, "x-kubernetes-list-type": "set" },
            ports: {
              type: "array",
              maxItems: 5,
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
              items: {
                type: "object",
                required: ["name"],
                properties: { name: text, number: { type: "integer" }, kind: { ...text, default: "tcp" } },
              },
            },
            plain: { type: "array", maxItems: 5, items: { type: "integer" } },
            map: { type: "object", maxProperties: 5, additionalProperties: text },
            either: { "x-kubernetes-int-or-string": true },
          },
          "x-kubernetes-validations": [
            { rule: "self.mode != 'y' || self.size > 2", message: "y wants a size over 2" },
            { rule: "self.size >= oldSelf.size - 4", message: "shrinks too fast" },
          ],
        },
        status: { type: "object", properties: { seen: { type: "integer" }, notes: { type: "array", items: text } } },
      },
    },
  };
}

/** A sequence of `count` requests over what the preparation made. */
export function makeSequence(draw: Draw, count: number): readonly Request[] {
  return Array.from({ length: count }, () => makeRequest(draw));
}

function makeRequest(draw: Draw): Request {
  const isThing = draw() < 0.6;
  const name = pick(draw, names);
  const collection = isThing ? "/apis/GROUP/v1/namespaces/NS/things" : "/api/v1/namespaces/NS/configmaps";
  const object = isThing ? thing(draw, name) : configMap(draw, name);
  const path = `${collection}/${name}`;
  const manager = `fieldManager=${pick(draw, managers)}`;
  const strictness = pick(draw, ["", "&fieldValidation=Strict", "&fieldValidation=Ignore", "&dryRun=All"]);
  const by = draw() < 0.15 ? { user: pick(draw, users) } : {};
  const kind = draw();
  if (kind < 0.35) {
    const force = draw() < 0.4 ? "&force=true" : "";
    const contentType = "application/apply-patch+yaml";
    return { method: "PATCH", path: `${path}?${manager}${strictness}${force}`, body: object, contentType, ...by };
  }
  if (kind < 0.5) return { method: "POST", path: `${collection}?${manager}${strictness}`, body: object, ...by };
  if (kind < 0.6) return { method: "PUT", path: `${path}?${manager}${strictness}`, body: object, ...by };
  if (kind < 0.7) {
    const { metadata: _, apiVersion: _version, kind: _kind, ...content } = object;
    const contentType = "application/merge-patch+json";
    return {
      method: "PATCH",
      path: `${path}?${manager}${strictness}`,
      body: withNull(draw, content),
      contentType,
      ...by,
    };
  }
  if (kind < 0.8) {
    const contentType = "application/json-patch+json";
    const body = JSON.stringify(jsonPatch(draw, isThing));
    return { method: "PATCH", path: `${path}?${manager}`, body, contentType, ...by };
  }
  if (kind < 0.85 && isThing) {
    const status = { seen: whole(draw, 5), notes: list(draw, () => pick(draw, names)) };
    const { spec: _, ...rest } = thing(draw, name);
    const contentType = "application/apply-patch+yaml";
    return { method: "PATCH", path: `${path}/status?${manager}&force=true`, body: { ...rest, status }, contentType };
  }
  if (kind < 0.9) return { method: "GET", path, ...by };
  if (kind < 0.94)
    return { method: "GET", path: `${collection}?labelSelector=${pick(draw, ["l", "!l", "l=1"])}`, ...by };
  // The garbage collector of a real hub takes half a minute to learn of a new custom kind.
  const policy = isThing ? "Background" : pick(draw, ["Background", "Foreground", "Orphan"]);
  return { method: "DELETE", path, body: { propagationPolicy: policy }, ...by };
}

interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly [field: string]: unknown;
}

function metadata(draw: Draw, name: string): object {
  return {
    name,
    ...(draw() < 0.4 ? { labels: { l: pick(draw, ["1", "2", "bad value"].slice(0, draw() < 0.1 ? 3 : 2)) } } : {}),
    ...(draw() < 0.3 ? { annotations: { note: pick(draw, names) } } : {}),
    ...(draw() < 0.1 ? { finalizers: ["example.org/hold"] } : {}),
  };
}

function configMap(draw: Draw, name: string): Made {
  const data = Object.fromEntries(list(draw, () => pick(draw, ["k", "l", "m"])).map((key) => [key, pick(draw, names)]));
  const isOdd = draw() < 0.08;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata(draw, name),
    data: isOdd ? { ...data, number: 1 } : data,
    ...(draw() < 0.08 ? { unknown: 1 } : {}),
  };
}

function thing(draw: Draw, name: string): Made {
  const maybe = (share: number, make: () => object): object => (draw() < share ? make() : {});
  const keys = unique(list(draw, () => pick(draw, names)));
  return {
    apiVersion: "GROUP/v1",
    kind: "Thing",
    metadata: metadata(draw, name),
    spec: {
      ...maybe(0.92, () => ({ size: whole(draw, 11) })),
      ...maybe(0.4, () => ({ mode: pick(draw, ["x", "y", "z"].slice(0, draw() < 0.15 ? 3 : 2)) })),
      ...maybe(0.4, () => ({ tags: draw() < 0.1 ? ["a", "a"] : unique(list(draw, () => pick(draw, names))) })),
      ...maybe(0.5, () => ({
        ports: keys.map((key) => ({ name: key, ...maybe(0.6, () => ({ number: whole(draw, 9) })) })),
      })),
      ...maybe(0.3, () => ({ plain: list(draw, () => whole(draw, 9)) })),
      ...maybe(0.4, () => ({
        // An empty map is refused by a real hub as null when it takes the last key away.
        map: Object.fromEntries(["z", ...keys].map((key) => [key, pick(draw, names)])),
      })),
      ...maybe(0.2, () => ({ either: pick(draw, [1, "50%"]) })),
      ...maybe(0.08, () => ({ unknown: { deep: 1 } })),
    },
  };
}

function withNull(draw: Draw, content: object): object {
  return draw() < 0.2 ? { ...content, metadata: { labels: null } } : content;
}

function jsonPatch(draw: Draw, isThing: boolean): readonly object[] {
  const path = isThing
    ? pick(draw, ["/spec/size", "/spec/tags", "/spec/ports/0", "/spec/none/deep", "/metadata/labels"])
    : pick(draw, ["/data", "/data/k", "/data/none/deep", "/metadata/annotations"]);
  const op = pick(draw, ["add", "replace", "remove", "test"]);
  const value = path.endsWith("size") ? whole(draw, 9) : path.endsWith("/k") ? "v" : {};
  return [{ op, path, ...(op === "remove" ? {} : { value }) }];
}

function whole(draw: Draw, below: number): number {
  return Math.floor(draw() * below);
}

function list<T>(draw: Draw, make: () => T): T[] {
  return Array.from({ length: whole(draw, 4) }, make);
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

function pick<T>(draw: Draw, items: readonly T[]): T {
  const item = items[whole(draw, items.length)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}
