import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { objectAt } from "../../src/core/read-json.ts";
import { builtInResources } from "../../src/embedded-hub/resources/built-in-resources.ts";
import type { FilledObject } from "../unit/embedded-hub/cost/filled-objects.ts";
import { filledObjects } from "../unit/embedded-hub/cost/filled-objects.ts";
import { baseObjects } from "../support/scalars/base-objects.ts";
import { sendAtVersion } from "../support/send-at-version.ts";
import { twoHubs } from "../support/two-hubs.ts";
import type { Answer, RawClient } from "./differential/replay.ts";
import { isAlike, verdictOf } from "./differential/verdicts.ts";

const namespace = `filled-${process.pid}`;
const inFlight = 8;

/** Each list and map of each kind with right, wrong and equal entries; pairs of them have nothing more to say. */
const objects = filledObjects(builtInResources()).filter((one) => !one.name.includes(" beside "));

describe("objects with each list and map filled, beside kube-apiserver", () => {
  const clients = twoHubs();
  beforeAll(async () => {
    const body = { metadata: { name: namespace } };
    for (const client of clients) await client.send({ method: "POST", path: "/api/v1/namespaces", body });
  });

  const textOf = (object: JsonObject): string => JSON.stringify(object).replaceAll('"NS"', `"${namespace}"`);

  function collectionOf({ group, version, plural, isNamespaced }: FilledObject["definition"]): string {
    const prefix = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return `${prefix}${isNamespaced ? `/namespaces/${namespace}` : ""}/${plural}`;
  }

  async function differenceOf(what: string, send: (client: RawClient) => Promise<Answer>): Promise<readonly Json[]> {
    const [here = null, there = null] = (await Promise.all(clients.map(send))).map(verdictOf).map(alike);
    return isAlike(here, there) ? [] : [{ what, here, there }];
  }

  async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const worker = async (): Promise<void> => {
      for (const item of rest) await work(item);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  }

  it("are created or refused with the same causes", async () => {
    const differences: Json[] = [];
    // Of a schema with several faults kube-apiserver names others than the first ones found here.
    const compared = objects.filter((one) => !one.name.startsWith("customresourcedefinitions "));
    expect(compared.length).toBeGreaterThan(4_000);
    await inParallel(compared, async (one) => {
      const request = { method: "POST", path: `${collectionOf(one.definition)}?dryRun=All` } as const;
      const body = textOf(one.objectWith(2));
      differences.push(...(await differenceOf(one.name, (client) => client.send({ ...request, body }))));
    });
    expect(differences.slice(0, 5)).toEqual([]);
  });

  it("are taken or refused with the same causes as a new status", async () => {
    const differences: Json[] = [];
    const definitions = new Set(objects.map(({ definition }) => definition).filter(hasStatus));
    expect(definitions.size).toBeGreaterThan(10);
    await inParallel([...definitions], async (definition) => {
      // Versions of a kind have the same objects.
      const name = `live-${process.pid}-${definition.version}`;
      const path = `${collectionOf(definition)}/${name}`;
      await createBase(definition, name);
      for (const one of objects) {
        if (one.definition !== definition) continue;
        const send = (client: RawClient) => replaceStatus(client, path, one.objectWith(1));
        differences.push(...(await differenceOf(`${one.name} of status`, send)));
      }
      for (const client of clients) await client.send({ method: "DELETE", path, body: { gracePeriodSeconds: 0 } });
    });
    expect(differences.slice(0, 5)).toEqual([]);
  });

  async function createBase(definition: FilledObject["definition"], name: string): Promise<void> {
    const { group, version, kind } = definition;
    const content = baseObjects.find((one) => one.group === group && one.kind === kind)?.content ?? {};
    const metadata = { ...objectAt(content, "metadata"), name };
    const body = textOf({ apiVersion: group === "" ? version : `${group}/${version}`, kind, ...content, metadata });
    for (const client of clients) {
      const made = await client.send({ method: "POST", path: collectionOf(definition), body });
      expect(made.code, JSON.stringify(made.body)).toBe(201);
    }
  }

  function replaceStatus(client: RawClient, path: string, filled: JsonObject): Promise<Answer> {
    return sendAtVersion(client, path, (resourceVersion) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const metadata = { ...objectAt(filled, "metadata"), name, resourceVersion };
      return { method: "PUT", path: `${path}/status?dryRun=All`, body: textOf({ ...filled, metadata }) };
    });
  }
});

function hasStatus({ plural, subresources }: FilledObject["definition"]): boolean {
  return (
    !["customresourcedefinitions", "apiservices"].includes(plural) && subresources.some((one) => one.name === "status")
  );
}

/** A dry run of kube-apiserver names a key without the folder of its storage. JSONPaths are not read here. */
function alike(verdict: Json): Json {
  const text = JSON.stringify(verdict)
    .replaceAll("Key: /registry/", "Key: /")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "UID");
  return text.includes("invalid JSONPath") ? [200] : (JSON.parse(text) as Json);
}
