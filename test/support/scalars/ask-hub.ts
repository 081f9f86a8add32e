import type { Json } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { RawClient } from "../../kube/differential/replay.ts";
import { sendAtVersion } from "../send-at-version.ts";
import { until } from "../until.ts";
import { baseObjects } from "./base-objects.ts";
import type { FieldCase, Way } from "./make-cases.ts";
import { caseName, collectionPath, existingObject, kindKey, nameOf, requestOf } from "./make-cases.ts";

/** What a hub answers to a scalar: of a refusal its message, else the value that it would store. */
export type ScalarAnswer = readonly [code: number, content: Json];

export interface ScalarCase {
  readonly field: FieldCase;
  readonly literal: string;
  readonly way: Way;
}

/** Makes the objects that the cases change, in a namespace of its own. */
async function prepareScalars(client: RawClient, namespace: string): Promise<ReadonlyMap<string, string>> {
  const fill = (text: string): string => text.replaceAll("NS", namespace);
  const made = await client.send({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name: namespace } },
  });
  if (made.code !== 201) throw new Error(`namespace: ${made.code}`);
  const versions = new Map<string, string>();
  for (const base of baseObjects) {
    const path = fill(collectionPath(base));
    const body = fill(JSON.stringify(existingObject(base)));
    // The account of the namespace is made by a controller.
    const answer = await until(
      () => client.send({ method: "POST", path, body }),
      ({ code }) => code !== 403,
    );
    if (answer.code !== 201) throw new Error(`${base.kind}: ${answer.code} ${JSON.stringify(answer.body)}`);
    versions.set(kindKey(base), fill(`${path}/${nameOf(base, "exists")}`));
  }
  return versions;
}

/** The answers of a hub, by the names of the cases. Sixteen requests at a time. Leaves nothing behind. */
export async function askHub(
  client: RawClient,
  namespace: string,
  cases: readonly ScalarCase[],
): Promise<ReadonlyMap<string, ScalarAnswer>> {
  const paths = await prepareScalars(client, namespace);
  const answers = new Map<string, ScalarAnswer>();
  const rest = cases.values();
  const work = async (): Promise<void> => {
    for (const one of rest) answers.set(caseName(one.field, one.literal, one.way), await ask(one));
  };

  async function ask({ field, literal, way }: ScalarCase): Promise<ScalarAnswer> {
    const { body, path, ...request } = requestOf(field, literal, way);
    const filled = { ...request, path: path.replaceAll("NS", namespace), body: body.replaceAll("NS", namespace) };
    const live = paths.get(kindKey(field.base)) ?? "";
    const sent = body.includes("@@VERSION@@")
      ? sendAtVersion(client, live, (version) => ({ ...filled, body: filled.body.replaceAll("@@VERSION@@", version) }))
      : client.send(filled);
    const answer = await sent.catch((error: unknown) => ({ code: 0, body: String(error) }));
    return answer.code < 300
      ? [answer.code, valueAt(answer.body, field.steps)]
      : [answer.code, (textAt(answer.body, "message") ?? JSON.stringify(answer.body)).replaceAll(namespace, "NS")];
  }

  try {
    await Promise.all(Array.from({ length: 16 }, work));
  } finally {
    await removeScalars(client, [...paths.values(), `/api/v1/namespaces/${namespace}`]);
  }
  return answers;
}

/** Some objects are of no namespace: a Node that stays is a node of every cluster that other tests make of this hub. */
async function removeScalars(client: RawClient, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { code, body } = await client.send({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` });
    if (code >= 300 && code !== 404) throw new Error(`delete ${path}: ${code} ${JSON.stringify(body)}`);
  }
}

function valueAt(object: Json | undefined, steps: readonly (string | number)[]): Json {
  let value = object;
  for (const step of steps) {
    if (typeof step === "number") value = Array.isArray(value) ? (value as readonly Json[])[step] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value === undefined ? "absent" : value;
}
