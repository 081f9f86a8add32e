import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { sendAtVersion } from "../support/send-at-version.ts";
import { twoHubs } from "../support/two-hubs.ts";
import type { Answer, RawClient } from "./differential/replay.ts";
import { structureDocument, structuredKinds } from "./differential/structure-documents.ts";
import type { StructuredKind } from "./differential/structured-workloads.ts";
import { isAlike, verdictOf } from "./differential/verdicts.ts";

/** Documents of each kind. More: ROLLCALL_STRUCTURE_COUNT=5000. Others: ROLLCALL_STRUCTURE_SEED. */
const count = Number(process.env["ROLLCALL_STRUCTURE_COUNT"] ?? "150");
const seed = Number(process.env["ROLLCALL_STRUCTURE_SEED"] ?? "1");
const namespace = `structure-${process.pid}`;
const inFlight = 8;

describe("objects whose structure is wrong, beside kube-apiserver", () => {
  const clients = twoHubs();
  beforeAll(async () => {
    const body = { metadata: { name: namespace } };
    for (const client of clients) await client.send({ method: "POST", path: "/api/v1/namespaces", body });
  });

  const fill = (text: string): string => text.replaceAll('"NS"', `"${namespace}"`).replaceAll("/NS/", `/${namespace}/`);

  function documentOf({ apiVersion, kind }: StructuredKind, name: string, content: JsonObject): JsonObject {
    return { apiVersion, kind, metadata: { name }, ...content };
  }

  async function compare(kind: StructuredKind, send: (client: RawClient, content: JsonObject) => Promise<Answer>) {
    const random = seededRandom(seed);
    const contents = Array.from({ length: count }, () => structureDocument(random, kind));
    const differences: Json[] = [];
    const counts = { taken: 0, refused: 0 };
    const rest = contents.values();
    const work = async (): Promise<void> => {
      for (const content of rest) {
        const [here = null, there = null] = (await Promise.all(clients.map((client) => send(client, content)))).map(
          verdictOf,
        );
        if (!isAlike(here, there)) differences.push({ here, there, content });
        if (JSON.stringify(there).startsWith("[20")) counts.taken += 1;
        else counts.refused += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    expect(differences.slice(0, 3)).toEqual([]);
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(kind.isStrict === true ? -1 : count / 20);
  }

  it.each(structuredKinds.map((kind, index) => [`${index} ${kind.kind}`, kind] as const))(
    "are refused with the same causes when they are created: %s",
    async (_name, kind) => {
      await compare(kind, (client, content) =>
        client.send({
          method: "POST",
          path: fill(`${kind.collection}?dryRun=All`),
          body: fill(JSON.stringify(documentOf(kind, "new", content))),
        }),
      );
    },
  );

  it.each(structuredKinds.map((kind, index) => [`${index} ${kind.kind}`, kind, index] as const))(
    "are refused with the same causes when they are changed: %s",
    async (_name, kind, index) => {
      const name = `structure-${process.pid}-${index}`;
      const path = fill(kind.collection);
      for (const client of clients) {
        const made = await client.send({
          method: "POST",
          path,
          body: fill(JSON.stringify(documentOf(kind, name, kind.content))),
        });
        expect(made.code, JSON.stringify(made.body)).toBe(201);
      }
      try {
        const { subresource } = kind;
        const changed = `${path}/${name}${subresource === undefined ? "" : `/${subresource}`}?dryRun=All`;
        await compare(kind, (client, content) =>
          sendAtVersion(client, `${path}/${name}`, (resourceVersion) => {
            const body = { ...documentOf(kind, name, content), metadata: { name, resourceVersion } };
            return { method: "PUT", path: changed, body: fill(JSON.stringify(body)) };
          }),
        );
      } finally {
        for (const client of clients) await client.send({ method: "DELETE", path: `${path}/${name}` });
      }
    },
  );
});
