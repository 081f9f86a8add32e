import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { objectAt, textAt } from "../../src/core/read-json.ts";
import { twoHubs } from "../support/two-hubs.ts";

const documents = [
  "/openapi/v2",
  "/openapi/v3/api/v1",
  "/openapi/v3/apis/apps/v1",
  "/openapi/v3/apis/networking.k8s.io/v1",
];

/** The values in a schema, and those in its description, without the text of each. */
function enumsOf(value: Json | undefined, path: string): [string, Json][] {
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => enumsOf(item, `${path}.${index}`));
  if (!isJsonObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, item]) => (key === "enum" ? [] : enumsOf(item, `${path}.${key}`)));
  if (!Array.isArray(value["enum"])) return below;
  const described = [...(textAt(value, "description") ?? "").matchAll(/^ - `("[^"]*")`/gmu)].map(
    ([, text]) => text ?? "",
  );
  return [...below, [path, [value["enum"], described]]];
}

describe("values of built-in kinds in OpenAPI, beside kube-apiserver", () => {
  const clients = twoHubs();

  it.each(documents)("are the same: %s", async (path) => {
    const [here, there] = await Promise.all(
      clients.map(async (client) => {
        const { body } = await client.send({ method: "GET", path });
        return objectAt(body, "definitions") ?? objectAt(body, "components", "schemas") ?? {};
      }),
    );
    const served = Object.keys(here ?? {}).filter((name) => there?.[name] !== undefined);
    const all = (schemas: typeof here) => Object.fromEntries(served.flatMap((name) => enumsOf(schemas?.[name], name)));
    expect(served.length).toBeGreaterThan(20);
    expect(all(here)).toEqual(all(there));
  });
});
