import { describe, expect, it } from "vitest";
import { parseJsonWithLiterals } from "../../../../src/core/exact-json.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { decodeBuiltIn } from "../../../../src/embedded-hub/types/decode-built-in.ts";
import { messageType, messageTypeNames, messageTypeOfKind } from "../../../../src/embedded-hub/types/type-registry.ts";

function decode(name: string, object: JsonObject) {
  return decodeBuiltIn(messageType(name), object);
}

describe("decodeBuiltIn", () => {
  it("writes fields in the order of the type and leaves out what is empty", () => {
    const { object } = decode("core.ConfigMap", {
      data: { b: "1", a: "2" },
      metadata: { name: "x", labels: {} },
      kind: "ConfigMap",
      apiVersion: "v1",
    });
    expect(JSON.stringify(object)).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":"2","b":"1"}}',
    );
  });

  it("brings quantities and times into one form", () => {
    const { object } = decode("core.Pod", {
      metadata: { creationTimestamp: "2024-01-01T02:00:00+02:00" },
      spec: { containers: [{ name: "c", resources: { limits: { cpu: 0.5, memory: "1024Mi" } } }] },
    });
    expect(object).toMatchObject({
      metadata: { creationTimestamp: "2024-01-01T00:00:00Z" },
      spec: { containers: [{ resources: { limits: { cpu: "500m", memory: "1Gi" } } }] },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["core.Secret", { data: { a: null, b: "Yg==" } }, { data: { a: "", b: "Yg==" } }],
    ["core.ConfigMap", { binaryData: { a: null } }, { binaryData: { a: "" } }],
  ])("stores null in the data of a %s as empty bytes: clients decode each value from base64", (name, given, stored) => {
    expect(decode(name, given).object).toMatchObject(stored);
  });

  it("reads a list of numbers as bytes where bytes are asked for, as Go does", () => {
    const { object } = decode("core.Secret", { data: { none: [], one: [1], two: [98, null] } });
    expect(object).toMatchObject({ data: { none: "", one: "AQ==", two: "YgA=" } });
    for (const wrong of [256, -1, 1.5, "a", [1]]) {
      expect(decode("core.Secret", { data: { a: [0, wrong] } }).error).toContain("of type uint8");
    }
  });

  it("names unknown fields with their paths, in the order of the document", () => {
    const { unknownFields, object } = decode("core.Pod", {
      zz: 1,
      spec: { containers: [{ name: "c", nope: 1, ports: [{ containerPort: 1, x: 2 }] }], yy: 1 },
      metadata: { foo: 1 },
    });
    expect(unknownFields).toEqual([
      "zz",
      "spec.containers[0].nope",
      "spec.containers[0].ports[0].x",
      "spec.yy",
      "metadata.foo",
    ]);
    expect(object).not.toHaveProperty("zz");
  });

  it.each<[JsonObject, string]>([
    [{ data: { a: 1 } }, "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"],
    [{ data: "x" }, "json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string"],
    [{ metadata: 1 }, "json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta"],
    [
      { metadata: { labels: { a: true } } },
      "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [{ immutable: "x" }, "json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool"],
    [{ binaryData: { a: "!" } }, "illegal base64 data at input byte 0"],
  ])("words what is wrong with %j as Go does", (fields, error) => {
    expect(decode("core.ConfigMap", fields).error).toBe(error);
  });

  it("does not know fields that every object has", () => {
    const evil = JSON.parse('{"__proto__":{"a":"1"},"data":{"__proto__":"2","constructor":"3"}}') as JsonObject;
    const { object, unknownFields } = decode("core.ConfigMap", evil);
    expect(unknownFields).toEqual(["__proto__"]);
    expect(Object.entries(object["data"] as JsonObject)).toEqual([
      ["__proto__", "2"],
      ["constructor", "3"],
    ]);
  });
});

/** Counts how often an entry is read. */
class CountedMap extends Map<string, string> {
  reads = 0;
  override get(key: string): string | undefined {
    this.reads += 1;
    return super.get(key);
  }
  override *[Symbol.iterator](): MapIterator<[string, string]> {
    for (const entry of super.entries()) {
      this.reads += 1;
      yield entry;
    }
  }
}

describe("numbers that are not written as their value", () => {
  const definition = (numbers: readonly string[]) => {
    const schema = `{"properties":{"size":{"enum":[${numbers.join(",")}]}}}`;
    const { value, literals } = parseJsonWithLiterals(
      `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}}`,
    );
    const counted = new CountedMap(literals);
    const decoded = decodeBuiltIn(messageType("apiextensions.CustomResourceDefinition"), value as JsonObject, {
      literals: counted,
    });
    return { ...decoded, reads: counted.reads };
  };

  it("A243 are read a few times each, however many free values an object has", () => {
    const { error, reads } = definition(Array.from({ length: 1000 }, () => "1.0"));
    expect(error).toBeUndefined();
    expect(reads).toBeLessThan(5000);
  });

  it("are refused in a free value, however deep, when they are more than a float holds", () => {
    const text = "json: cannot unmarshal number 1e999 into Go value of type float64";
    expect(definition(["1.0", '[{"a.b":[-1,1e999]}]']).error).toBe(text);
    expect(definition(["-1e999"]).error).toBe(text.replace("1e999", "-1e999"));
  });
});

describe("the tables of types", () => {
  it("give every field of a message one number and one name", () => {
    for (const name of messageTypeNames()) {
      const { fields } = messageType(name);
      const numbers = fields.map(({ number }) => number);
      expect(new Set(numbers).size, `numbers of ${name}`).toBe(numbers.length);
      const names = fields.map((field) => field.name);
      expect(new Set(names).size, `names of ${name}`).toBe(names.length);
    }
  });

  it("refer to messages that there are", () => {
    for (const name of messageTypeNames()) {
      for (const { type } of messageType(name).fields) {
        const inner = type.kind === "list" || type.kind === "map" ? type.element : type;
        if (inner.kind === "message")
          expect(() => messageType(inner.message), `${name} ${inner.message}`).not.toThrow();
      }
    }
  });

  it("know kinds by group and version", () => {
    expect(messageTypeOfKind("apps", "v1", "Deployment")?.name).toBe("apps.Deployment");
    expect(messageTypeOfKind("apps", "v2", "Deployment")).toBeUndefined();
    expect(messageTypeOfKind("", "v1", "Event")?.name).toBe("core.Event");
    expect(messageTypeOfKind("events.k8s.io", "v1", "Event")?.name).toBe("events.Event");
  });
});
