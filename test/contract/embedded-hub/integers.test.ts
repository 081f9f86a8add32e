import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import type { EmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { encodeKubeObject } from "../../../src/embedded-hub/protobuf/kube-protobuf.ts";
import { adminClient, adminOf, startHubOn, startTestHub } from "./hub-client.ts";
import type { Answer, Call, TestHub } from "./hub-client.ts";

const integers = ["9007199254740993", "9223372036854775807", "-9223372036854775808"];
const templates = "/api/v1/namespaces/default/podtemplates";
const things = "/apis/integers.example.org/v1/namespaces/default/things";
const json = { "content-type": "application/json" };
const field = "terminationGracePeriodSeconds";

/** A built-in kind with an integer of 64 bits, as text: no parser of this test reads the number. */
function podTemplate(name: string, seconds: string): string {
  return `{"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"${name}"},"template":{"spec":{"${field}":${seconds},"containers":[{"name":"a","image":"a"}]}}}`;
}

function thing(name: string, value: string): string {
  return `{"apiVersion":"integers.example.org/v1","kind":"Thing","metadata":{"name":"${name}"},"any":{"list":[${value}]},"whole":${value}}`;
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.integers.example.org" },
  spec: {
    group: "integers.example.org",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: ".whole" }],
        additionalPrinterColumns: ["integer", "number"].map((type) => ({ name: type, type, jsonPath: ".whole" })),
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              whole: {
                type: "integer",
                format: "int64",
                "x-kubernetes-validations": [{ rule: "self != 9007199254740995", message: "by the rule" }],
              },
            },
          },
        },
      },
    ],
  },
};

describe("a whole number of 64 bits", () => {
  let hub: TestHub | undefined;
  let next: EmbeddedHub | undefined;
  afterEach(async () => {
    await next?.close();
    await hub?.stop();
    if (hub !== undefined) await rm(hub.dir, { recursive: true, force: true });
    next = undefined;
  });

  it("is kept to its last digit in each way of writing and reading, by a watch and by a restart", async () => {
    const running = await start();
    hub = running;
    const watch = await running.open({ path: `${templates}?watch=true` });
    const lines = createInterface({ input: watch })[Symbol.asyncIterator]();
    for (const [index, integer] of integers.entries()) {
      for (const [way, write] of Object.entries(waysOfWriting(running, `a${index}`, integer))) {
        const answer = await write();
        expect(answer.statusCode, `${way} ${integer} ${answer.text}`).toBeLessThan(300);
        expect(answer.text, way).toMatch(new RegExp(`"${field}":${integer}[,}]`, "u"));
      }
      const name = `a${index}-create`;
      const yaml = await running.call({ path: `${templates}/${name}`, headers: { accept: "application/yaml" } });
      expect(yaml.text).toContain(`${field}: ${integer}\n`);
      const custom = await running.call({ method: "POST", path: things, headers: json, body: thing(name, integer) });
      expect(custom.text).toContain(`"list":[${integer}]`);
      expect(custom.text).toContain(`"whole":${integer}`);
    }
    const watched = new Set<string>();
    while (watched.size < integers.length) {
      const line = await lines.next();
      if (line.done === true) break;
      for (const integer of integers) if (line.value.includes(`"${field}":${integer},`)) watched.add(integer);
    }
    watch.destroy();
    expect(watched.size).toBe(integers.length);
    const before = await running.call({ path: templates });
    await running.hub.close();
    next = await startHubOn(running.dir);
    const client = adminClient(next.url, adminOf(next));
    const after = await client.call({ path: templates });
    const custom = await client.call({ path: things });
    client.close();
    const itemsOf = ({ text }: Answer): string => text.slice(text.indexOf('"items"'));
    expect(itemsOf(after)).toBe(itemsOf(before));
    for (const integer of integers) expect(custom.text).toContain(`"whole":${integer}`);
  });

  it("is compared to its last digit by a rule in CEL", async () => {
    hub = await start();
    const post = (value: string): Call => ({
      method: "POST",
      path: things,
      headers: json,
      body: thing(`b${value}`, value),
    });
    expect((await hub.call(post("9007199254740994"))).statusCode).toBe(201);
    expect((await hub.call(post("9007199254740995"))).text).toContain("by the rule");
    expect((await hub.call(post("9007199254740996"))).statusCode).toBe(201);
  });

  it("is in the columns of a table, and selected by", async () => {
    hub = await start();
    for (const [index, integer] of integers.entries()) {
      await hub.call({ method: "POST", path: things, headers: json, body: thing(`c${index}`, integer) });
      const path = `${things}?fieldSelector=whole%3D${integer}`;
      const { text } = await hub.call({ path, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
      expect(text).toContain(`"cells":["c${index}",${integer},${Number(integer)}]`);
    }
  });

  it("is refused when it has more than 64 bits", async () => {
    hub = await start();
    const body = podTemplate("a", "9223372036854775808");
    const { statusCode, json: status } = await hub.call({ method: "POST", path: templates, headers: json, body });
    expect(statusCode).toBe(400);
    expect(status["message"]).toBe(
      `PodTemplate in version "v1" cannot be handled as a PodTemplate: json: cannot unmarshal number 9223372036854775808 into Go struct field PodSpec.template.spec.${field} of type int64`,
    );
  });
});

async function start(): Promise<TestHub> {
  const hub = await startTestHub();
  await hub.call({ method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: definition });
  await expect.poll(async () => (await hub.call({ path: things })).statusCode).toBe(200);
  return hub;
}

/** Each writes the number into an object of its own, or into one that has another number. */
function waysOfWriting(
  { call }: TestHub,
  prefix: string,
  integer: string,
): Readonly<Record<string, () => Promise<Answer>>> {
  const post = (type: string, body: string | Buffer): Promise<Answer> =>
    call({ method: "POST", path: templates, headers: { "content-type": type }, body });
  const patch = async (name: string, type: string, body: string): Promise<Answer> => {
    await post("application/json", podTemplate(name, "1"));
    return call({ method: "PATCH", path: `${templates}/${name}`, headers: { "content-type": type }, body });
  };
  const spec = `{"template":{"spec":{"${field}":${integer}}}}`;
  return {
    create: () => post("application/json", podTemplate(`${prefix}-create`, integer)),
    yaml: () =>
      post(
        "application/yaml",
        `apiVersion: v1\nkind: PodTemplate\nmetadata: {name: ${prefix}-yaml}\ntemplate:\n  spec:\n    ${field}: ${integer}\n    containers: [{name: a, image: a}]\n`,
      ),
    protobuf: () =>
      post(
        "application/vnd.kubernetes.protobuf",
        Buffer.from(
          encodeKubeObject({
            apiVersion: "v1",
            kind: "PodTemplate",
            metadata: { name: `${prefix}-protobuf` },
            template: { spec: { [field]: BigInt(integer), containers: [{ name: "a", image: "a" }] } },
          }) ?? [],
        ),
      ),
    apply: () =>
      call({
        method: "PATCH",
        path: `${templates}/${prefix}-apply?fieldManager=test`,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: podTemplate(`${prefix}-apply`, integer),
      }),
    strategic: () => patch(`${prefix}-strategic`, "application/strategic-merge-patch+json", spec),
    merge: () => patch(`${prefix}-merge`, "application/merge-patch+json", spec),
    jsonPatch: () =>
      patch(
        `${prefix}-json`,
        "application/json-patch+json",
        `[{"op":"add","path":"/template/spec/${field}","value":${integer}},{"op":"copy","from":"/template/spec/${field}","path":"/template/spec/activeDeadlineSeconds"},{"op":"remove","path":"/template/spec/activeDeadlineSeconds"}]`,
      ),
  };
}
