import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runSchema } from "../../../../src/cli/commands/schema.ts";

async function schema(...args: string[]): Promise<object> {
  let text = "";
  expect(await runSchema({ args, stdout: { write: (part: string) => (text += part) } })).toBe(0);
  return JSON.parse(text) as object;
}

function compile(value: object) {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ajv.compile(value);
}

const example: unknown = parse(
  readFileSync(join(import.meta.dirname, "../../../../examples-repo/clusters/prod/prod-eu-1.yaml"), "utf8"),
);

describe("rollcall schema", () => {
  it.each([[["Cluster"]], [[]]])("prints a schema that a good file fits and a bad one does not (%j)", async (args) => {
    const validate = compile(await schema(...args));
    expect(validate(example)).toBe(true);
    expect(validate({ ...Object(example), specc: {} })).toBe(false);
  });

  it("lets documents of other projects be", async () => {
    const validate = compile(await schema());
    expect(validate({ apiVersion: "v1", kind: "ConfigMap", anything: 1 })).toBe(true);
  });

  it.each(["Repository", "ClusterReport", "ClusterRegistration"])(
    "names what describes a kind of the hub: %s",
    (kind) => {
      expect(() => runSchema({ args: [kind], stdout: { write: () => true } })).toThrow(
        `no file has kind ${kind}, it is on the hub alone: rollcall explain ${kind} describes it`,
      );
    },
  );

  it("names the kind that was meant", () => {
    expect(() => runSchema({ args: ["Clutser"], stdout: { write: () => true } })).toThrow(/did you mean Cluster\?/u);
  });
});
