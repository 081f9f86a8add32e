import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectAt, objectsAt, textAt, textsAt, valueAt } from "../../../src/core/read-json.ts";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

// What Kubernetes' own conformance tests ask of an API server, as far as no other suite here does.

let server: TestHub;

beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

describe("the embedded hub", () => {
  it("has the Service by which programs know their API server, and gives addresses to others", async () => {
    const own = await server.call({ path: "/api/v1/namespaces/default/services/kubernetes" });
    expect(own.json).toMatchObject({
      spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: server.hub.port }] },
    });
    const made = await server.call({
      method: "POST",
      path: "/api/v1/namespaces/default/services",
      body: { metadata: { name: "web" }, spec: { type: "NodePort", ports: [{ port: 80 }] } },
    });
    expect(textAt(made.json, "spec", "clusterIP")).toMatch(/^10\.96\./u);
    expect(made.json).toMatchObject({ spec: { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" } });
    const taken = await server.call({
      method: "POST",
      path: "/api/v1/namespaces/default/services",
      body: {
        metadata: { name: "twin" },
        spec: { clusterIP: textAt(made.json, "spec", "clusterIP"), ports: [{ port: 80 }] },
      },
    });
    expect([taken.statusCode, textAt(taken.json, "message")]).toEqual([
      422,
      expect.stringContaining("provided IP is already allocated"),
    ]);
  });

  it("keeps the address of a Service that is replaced without one, and refuses another", async () => {
    const path = "/api/v1/namespaces/default/services/kept";
    const spec = { ports: [{ port: 80 }] };
    const made = await server.call({ method: "PUT", path, body: { metadata: { name: "kept" }, spec } });
    const address = textAt(made.json, "spec", "clusterIP");
    const again = await server.call({ method: "PUT", path, body: { metadata: { name: "kept" }, spec } });
    expect(textAt(again.json, "spec", "clusterIP")).toBe(address);
    const other = { ...spec, clusterIP: "10.96.7.7", clusterIPs: ["10.96.7.7"] };
    const moved = await server.call({ method: "PUT", path, body: { metadata: { name: "kept" }, spec: other } });
    expect([moved.statusCode, textAt(moved.json, "message")]).toEqual([
      422,
      expect.stringContaining("may not change once set"),
    ]);
  });

  it("writes in the status of an admission policy which expressions do not fit its kinds", async () => {
    const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    const spec = {
      matchConstraints: {
        resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] }],
      },
      validations: [{ expression: "object.spec.replicas > '1'" }, { expression: "object.spec.replicas > 1" }],
    };
    await server.call({ method: "POST", path, body: { metadata: { name: "typed" }, spec } });
    const { json } = await until(
      () => server.call({ path: `${path}/typed` }),
      (answer) => objectAt(answer.json, "status", "typeChecking") !== undefined,
    );
    const warnings = objectsAt(json, "status", "typeChecking", "expressionWarnings");
    expect(warnings.map((warning) => textAt(warning, "fieldRef"))).toEqual(["spec.validations[0].expression"]);
    expect(textAt(warnings[0], "warning")).toContain(
      "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
    );
  });

  it("reads custom objects by the schema that their CRD has now", async () => {
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const crd = (properties: object) => ({
      metadata: { name: "gears.conformance.example.org" },
      spec: {
        group: "conformance.example.org",
        scope: "Cluster",
        names: { plural: "gears", kind: "Gear" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
        ],
      },
    });
    await server.call({ method: "POST", path: crds, body: crd({ old: { type: "string" } }) });
    const path = "/apis/conformance.example.org/v1/gears";
    await until(
      () => server.call({ path }),
      ({ statusCode }) => statusCode === 200,
    );
    const gear = { apiVersion: "conformance.example.org/v1", kind: "Gear", metadata: { name: "g" }, old: "x" };
    await server.call({ method: "POST", path, body: gear });
    await server.call({
      method: "PATCH",
      path: `${crds}/gears.conformance.example.org`,
      headers: { "content-type": "application/json-patch+json" },
      body: JSON.stringify([
        {
          op: "replace",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties",
          value: { fresh: { type: "string", default: "d" } },
        },
      ]),
    });
    const read = await until(
      () => server.call({ path: `${path}/g` }),
      ({ json }) => json["fresh"] !== undefined,
    );
    expect(read.json).toMatchObject({ fresh: "d" });
    expect(read.json["old"]).toBeUndefined();
    const list = await server.call({ path });
    expect(objectsAt(list.json, "items")[0]).toMatchObject({ fresh: "d" });
  });

  it("reports problems of a body in the order of its text", async () => {
    const answer = await server.call({
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps?fieldValidation=Strict",
      body: '{"unknown":1,"metadata":{"name":"x","name":"x","other":1}}',
    });
    expect([answer.statusCode, textAt(answer.json, "message")]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "unknown", duplicate field "metadata.name", unknown field "metadata.other"',
    ]);
  });

  it("has no table of what is only answered", async () => {
    const answer = await server.call({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      body: { spec: { nonResourceAttributes: { path: "/", verb: "get" } } },
    });
    expect(answer.statusCode).toBe(406);
  });

  it("refuses a timeout that is no duration", async () => {
    const answer = await server.call({ path: "/version?timeout=soon" });
    expect([answer.statusCode, textAt(answer.json, "message")]).toEqual([
      400,
      'invalid timeout specified in the request URL - time: invalid duration "soon"',
    ]);
  });

  it("publishes OpenAPI v2 in protobuf, and describes what it publishes", async () => {
    const type = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const binary = await server.call({ path: "/openapi/v2", headers: { accept: type } });
    expect(binary.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    expect(binary.bytes.subarray(0, 5)).toEqual(Buffer.from([0x0a, 3, 0x32, 0x2e, 0x30]));
    const { json } = await server.call({ path: "/openapi/v3/api/v1" });
    const configMap = objectAt(json, "components", "schemas", "io.k8s.api.core.v1.ConfigMap");
    expect(textAt(configMap, "description")).toContain("configuration data");
    expect(textAt(configMap, "properties", "metadata", "description")).toContain("Standard object's metadata");
  });

  it("publishes OpenAPI v3 in protobuf, custom kinds included", async () => {
    const accept = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
    const answer = await server.call({ path: "/openapi/v3/apis/apps/v1", headers: { accept } });
    expect(answer.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v3.v1.0+protobuf");
    // Field 1 of the document is a text of five characters.
    expect(answer.text.slice(0, 7)).toBe("\n\u00053.0.0");
    expect(answer.text).toContain("io.k8s.api.apps.v1.Deployment");
  });

  it("lists the core group in protobuf, verbs as a message of their own", async () => {
    const { bytes, statusCode } = await server.call({
      path: "/api/v1",
      headers: { accept: "application/vnd.kubernetes.protobuf" },
    });
    expect(statusCode).toBe(200);
    const verbs = ["create", "get"].map((verb) => Buffer.from([0x0a, verb.length, ...Buffer.from(verb)]));
    expect(verbs.every((verb) => bytes.includes(verb))).toBe(true);
  });

  it("serves PodTemplates", async () => {
    const path = "/api/v1/namespaces/default/podtemplates";
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const made = await server.call({ method: "POST", path, body: { metadata: { name: "t" }, template } });
    expect([made.statusCode, valueAt(made.json, "metadata", "generation")]).toEqual([201, 1]);
    const bad = await server.call({ method: "POST", path, body: { metadata: { name: "u" }, template: { spec: {} } } });
    expect([bad.statusCode, textAt(bad.json, "message")]).toEqual([
      422,
      expect.stringContaining("template.spec.containers: Required value"),
    ]);
    expect(textsAt(made.json, "metadata", "finalizers")).toEqual([]);
  });

  it("gives a Pod its node by one write, which leaves its generation as it is", async () => {
    const path = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "main", image: "none" }] };
    const made = await server.call({ method: "POST", path, body: { metadata: { name: "bound" }, spec } });
    const version = textAt(made.json, "metadata", "resourceVersion") ?? "";
    const watch = `${path}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=bound&resourceVersion=${version}`;
    const target = { kind: "Node", name: "n" };
    const bind = (metadata: object): ReturnType<typeof server.call> =>
      server.call({ method: "POST", path: `${path}/bound/binding`, body: { metadata, target } });
    const stale = await bind({ name: "bound", resourceVersion: "1" });
    expect([stale.statusCode, textAt(stale.json, "message")]).toEqual([
      409,
      expect.stringContaining(`ResourceVersion in precondition: 1, ResourceVersion in object meta: ${version}`),
    ]);
    expect((await bind({ name: "bound" })).statusCode).toBe(201);
    const events = (await server.call({ path: watch })).text.trim().split("\n");
    expect(events).toHaveLength(1);
    expect(JSON.parse(events[0] ?? "{}")).toMatchObject({
      object: {
        metadata: { generation: 1 },
        spec: { nodeName: "n" },
        status: { conditions: [{ type: "PodScheduled", status: "True" }] },
      },
    });
  });

  it("lets who may add an ephemeral container change nothing else of a Pod, and refuses new sizes", async () => {
    const path = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "main", image: "none" }] };
    await server.call({ method: "POST", path, body: { metadata: { name: "debugged" }, spec } });
    const headers = { "content-type": "application/merge-patch+json" };
    const debug = { name: "debug", image: "none", terminationMessagePolicy: "File" };
    const body = {
      metadata: { labels: { a: "b" } },
      spec: { nodeName: "n", containers: [{ name: "main", image: "other" }], ephemeralContainers: [debug] },
    };
    const added = await server.call({ method: "PATCH", path: `${path}/debugged/ephemeralcontainers`, headers, body });
    expect(added.statusCode).toBe(200);
    expect(added.json).toMatchObject({ spec: { containers: [{ image: "none" }], ephemeralContainers: [debug] } });
    expect(added.json).not.toHaveProperty("spec.nodeName");
    expect(added.json).not.toHaveProperty("metadata.labels");
    const without = { spec: { ephemeralContainers: [] } };
    const removed = await server.call({
      ...{ method: "PATCH", path: `${path}/debugged/ephemeralcontainers`, headers, body: without },
    });
    expect([removed.statusCode, textAt(removed.json, "message")]).toEqual([
      422,
      expect.stringContaining('existing ephemeral containers "debug" may not be removed'),
    ]);
    const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
    await server.call({ method: "PATCH", path: "/api/v1/namespaces/default", headers, body: { metadata: { labels } } });
    const privileged = { ...debug, name: "root", securityContext: { privileged: true } };
    const unsafe = await server.call({
      ...{ method: "PATCH", path: `${path}/debugged/ephemeralcontainers`, headers },
      body: { spec: { ephemeralContainers: [debug, privileged] } },
    });
    const none = { "pod-security.kubernetes.io/enforce": null };
    const unlabelled = { metadata: { labels: none } };
    await server.call({ method: "PATCH", path: "/api/v1/namespaces/default", headers, body: unlabelled });
    expect([unsafe.statusCode, textAt(unsafe.json, "message")]).toEqual([
      403,
      expect.stringContaining("violates PodSecurity"),
    ]);
    const sized = await server.call({ method: "PATCH", path: `${path}/debugged/resize`, headers, body });
    expect([sized.statusCode, textAt(sized.json, "message")]).toEqual([501, "this hub does not serve pods/resize"]);
  });

  it("serves ReplicationControllers, whose selector is a map of labels", async () => {
    const path = "/api/v1/namespaces/default/replicationcontrollers";
    const template = {
      metadata: { labels: { tier: "b", app: "a" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const made = await server.call({
      method: "POST",
      path,
      body: { metadata: { name: "r" }, spec: { replicas: 0, template } },
    });
    expect(made.json).toMatchObject({
      metadata: { labels: template.metadata.labels },
      spec: { selector: template.metadata.labels },
    });
    const { json } = await server.call({ path: `${path}/r/scale` });
    expect(json).toMatchObject({ kind: "Scale", status: { replicas: 0, selector: "app=a,tier=b" } });
    const headers = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
    const [row] = objectsAt((await server.call({ path, headers })).json, "rows");
    expect(row?.["cells"]).toEqual(["r", 0, 0, 0, expect.any(String), "c", "i", "app=a,tier=b"]);
    const found = await server.call({ path: `${path}?fieldSelector=status.replicas%3D1` });
    expect(objectsAt(found.json, "items")).toEqual([]);
  });

  it("takes a number of replicas by an apply of the Scale, and names its previous manager", async () => {
    const path = "/apis/apps/v1/namespaces/default/replicasets/scaled";
    const headers = { "content-type": "application/apply-patch+yaml" };
    const labels = { app: "scaled" };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } },
    };
    const body = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "scaled" }, spec };
    await server.call({ method: "PATCH", path: `${path}?fieldManager=owner`, headers, body });
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "scaled" }, spec: { replicas: 2 } };
    const refused = await server.call({
      method: "PATCH",
      path: `${path}/scale?fieldManager=hpa`,
      headers,
      body: scale,
    });
    expect([refused.statusCode, textAt(refused.json, "message")]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "owner": .spec.replicas',
    ]);
    const forced = { method: "PATCH", path: `${path}/scale?fieldManager=hpa&force=true`, headers, body: scale };
    expect((await server.call(forced)).json).toMatchObject({ kind: "Scale", spec: { replicas: 2 } });
    const { json } = await server.call({ path });
    const owners = objectsAt(json, "metadata", "managedFields").filter(
      (entry) => valueAt(entry, "fieldsV1", "f:spec", "f:replicas") !== undefined,
    );
    expect(owners).toEqual([
      {
        manager: "hpa",
        operation: "Apply",
        apiVersion: "apps/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
        subresource: "scale",
      },
    ]);
  });

  it("refuses patches that remove the kind or the version", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    await server.call({ method: "POST", path, body: { metadata: { name: "typed" } } });
    const codes = await Promise.all(
      [{ kind: "Foo" }, { apiVersion: "apps/v1" }, { apiVersion: null }, { kind: null }].map(async (body) => {
        const headers = { "content-type": "application/merge-patch+json" };
        return (await server.call({ method: "PATCH", path: `${path}/typed`, headers, body })).statusCode;
      }),
    );
    // By its address kube-apiserver knows the kind of what has none.
    expect(codes).toEqual([422, 422, 400, 200]);
  });

  it("refuses a custom rule that could cost too much, until its lists are bounded", async () => {
    const make = async (bounds: object): Promise<readonly [number, string | undefined]> => {
      const rule = { rule: "self.all(s, s == 'string constant')" };
      const inner = { type: "array", items: { type: "string" }, ...bounds, "x-kubernetes-validations": [rule] };
      const x = { type: "array", items: inner, ...bounds };
      const spec = { type: "object", properties: { x } };
      const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
      const body = {
        metadata: { name: "costs.example.org" },
        spec: {
          group: "example.org",
          scope: "Namespaced",
          names: { plural: "costs", kind: "Cost" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      };
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
      const { statusCode, json } = await server.call({ method: "POST", path, body });
      return [statusCode, textAt(json, "message")];
    };
    expect(await make({})).toEqual([
      422,
      expect.stringContaining("estimated rule cost exceeds budget by factor of more than 100x"),
    ]);
    expect(await make({ maxItems: 50 })).toEqual([201, undefined]);
  });

  it("continues a list at the version of its token, and takes no other", async () => {
    const path = "/api/v1/configmaps?limit=1";
    const token = encodeURIComponent(textAt((await server.call({ path })).json, "metadata", "continue") ?? "");
    const codes = await Promise.all(
      ["", "&resourceVersion=0", "&resourceVersion=5"].map(
        async (version) => (await server.call({ path: `${path}&continue=${token}${version}` })).statusCode,
      ),
    );
    expect(codes).toEqual([200, 200, 400]);
  });
});
