import type { IncomingMessage } from "node:http";
import { isJsonObject } from "../../src/core/json.ts";
import { parseJson } from "../../src/core/parse-json.ts";
import type { TestHub } from "../contract/embedded-hub/hub-client.ts";
import { answerOf, startTestHub } from "../contract/embedded-hub/hub-client.ts";
import { isKubernetesOwn500 } from "../support/own-500s.ts";
import { askMember, readWatch } from "./member-targets.ts";
import type { Dice } from "./random-input.ts";
import { randomText } from "./random-input.ts";
import type { Target } from "./target.ts";
import { inputOf } from "./target.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const object = { metadata: { name: "a", labels: { env: "prod" } }, data: { x: "1" } };
const accepts: Readonly<Record<string, string>> = {
  json: "application/json",
  table: "application/json;as=Table;v=v1;g=meta.k8s.io",
  metadata: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  protobuf: "application/vnd.kubernetes.protobuf;stream=watch",
  yaml: "application/yaml",
};
const eventTypes = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** A watch with the query of an input, of a hub whose object is changed meanwhile; its frames go to our own client. */
const hubwatches: Target = {
  seeds: [
    inputOf("json", "labelSelector=env%3Dprod&allowWatchBookmarks=true"),
    inputOf("json", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
    inputOf("json", "resourceVersion=1"),
    inputOf("table", "fieldSelector=metadata.name%3Da&includeObject=Object"),
    inputOf("metadata", "labelSelector=env+in+(prod,dev),!x&resourceVersion=0"),
    inputOf("protobuf", "timeoutSeconds=1"),
    inputOf("yaml", ""),
  ],
  generate: (dice) => {
    const parts = Array.from({ length: 1 + dice.below(4) }, () => randomParameter(dice));
    return inputOf(dice.pick(Object.keys(accepts)), parts.join("&"));
  },
  open: async () => {
    const hub = await startTestHub();
    await hub.call({ method: "POST", path: configMaps, body: object });
    let version = 1;
    return {
      take: async ({ form, bytes }) => {
        const query = Buffer.from(bytes)
          .toString("latin1")
          .slice(0, 12_000)
          .replace(/[^!-~]/gu, "%01");
        const headers = { accept: accepts[form] ?? "" };
        const response = await hub.open({ path: `${configMaps}?watch=1&${query}`, headers });
        const isStream = response.statusCode === 200 && response.headers["content-length"] === undefined;
        const sent = isStream ? await framesOf(hub, response, (version += 1)) : Buffer.alloc(0);
        if (!isStream) await checkAnswer(response);
        if (form !== "protobuf") checkFrames(sent.toString("utf8"));
        if (form === "json") await askMember({ form: "200", bytes: sent }, [readWatch]);
      },
      close: () => hub.stop(),
    };
  },
};

const keys = [
  "labelSelector",
  "fieldSelector",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "timeoutSeconds",
  "limit",
  "continue",
  "includeObject",
  "watch",
];
const values = [
  "env=prod",
  "env in (prod,dev)",
  "!env",
  "env notin (",
  "env>1",
  "metadata.name=a",
  "metadata.name!=a,metadata.namespace=default",
  "spec.nodeName=a",
  "data.x=1",
  "0",
  "1",
  "5",
  "-1",
  "18446744073709551615",
  "999999999999999999",
  "Exact",
  "NotOlderThan",
  "true",
  "false",
  "Metadata",
];

function randomParameter(dice: Dice): string {
  const value = dice.next() < 0.7 ? dice.pick(values) : randomText(dice);
  // Half a pair of surrogates has no form in a URL.
  return `${dice.pick(keys)}=${encodeURIComponent(value.replace(/\p{Cs}/gu, ""))}`;
}

/** What is sent until a change of the object is answered; how many frames that is depends on the selectors. */
async function framesOf(hub: TestHub, response: IncomingMessage, version: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => void chunks.push(chunk));
  response.on("error", () => undefined);
  const headers = { "content-type": "application/merge-patch+json" };
  await hub.call({ method: "PATCH", path: `${configMaps}/a`, body: { data: { x: String(version) } }, headers });
  await hub.call({ path: `${configMaps}/a` });
  response.destroy();
  return Buffer.concat(chunks);
}

async function checkAnswer(response: IncomingMessage): Promise<void> {
  const { statusCode, text } = await answerOf(response);
  if (statusCode < 500 || isKubernetesOwn500(text)) return;
  throw new Error(`the hub answers ${statusCode}: ${text.slice(0, 200)}`);
}

/** The last line may be cut. */
function checkFrames(text: string): void {
  for (const line of text.split("\n").slice(0, -1)) {
    const frame = parseJson(line);
    const type = isJsonObject(frame) ? frame["type"] : undefined;
    if (typeof type !== "string" || !eventTypes.has(type) || !isJsonObject(frame) || !isJsonObject(frame["object"]))
      throw new Error(`the hub sends the frame ${line.slice(0, 200)}`);
  }
}

/** What the embedded hub sends to a client that watches. */
export const watchTargets = { hubwatches };
