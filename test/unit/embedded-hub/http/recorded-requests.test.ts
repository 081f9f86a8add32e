import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { ApiFailure, isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { Exchange } from "../../../../src/embedded-hub/http/exchange.ts";
import { negotiateInput } from "../../../../src/embedded-hub/http/media-types.ts";
import { operationContext } from "../../../../src/embedded-hub/http/operation-context.ts";
import { customObjectOfBody, objectOfBody, parseBody } from "../../../../src/embedded-hub/http/parse-body.ts";
import { readListQuery, readPatchQuery, readWriteQuery } from "../../../../src/embedded-hub/http/query.ts";
import { parsePatch, patchKindOf } from "../../../../src/embedded-hub/http/read-patch.ts";
import { readSelection } from "../../../../src/embedded-hub/http/selection.ts";
import type { ClientWrite } from "../../../../src/embedded-hub/operations/operations.ts";
import type { PatchBody } from "../../../../src/embedded-hub/operations/operations.ts";
import { revisionOf } from "../../../../src/embedded-hub/request/parse-version.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, configMap, contextOf } from "../controllers/hub-world.ts";
import type { MemoryHub } from "../verbs/memory-hub.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";

/** What kube-apiserver 1.34 answered to bodies and queries, as dry runs on a ConfigMap `a` and on an Open `a`. */
interface Recording {
  /** Of Open, which keeps all that is in its spec. */
  readonly crd: KubeObject;
  readonly requests: readonly Recorded[];
}

interface Recorded {
  readonly of: "cm" | "open";
  readonly verb: "create" | "update" | "list" | "watch" | PatchBody["kind"];
  readonly body: string;
  readonly type?: string;
  readonly validation?: string;
  /** In place of the usual one. */
  readonly query?: string;
  readonly answer: Answer;
}

interface Answer {
  readonly code?: number;
  readonly message?: string;
  /** The data, or the spec, of what would be stored. */
  readonly content?: Json;
  readonly warnings?: readonly string[];
}

const file = new URL("golden/requests.json", import.meta.url);
const { crd, requests } = JSON.parse(readFileSync(file, "utf8")) as Recording;
const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

async function startHub(): Promise<MemoryHub> {
  const hub = await startMemoryHub([crd]);
  const context = contextOf(administrator);
  const place = { namespace: "shop" };
  const map = { ...configMap("a"), data: { k: "v" } };
  await hub.operations.create(context, { definition: hub.definitionOf("v1", "ConfigMap"), ...place }, map);
  const open = { apiVersion: "http.example.org/v1", kind: "Open", metadata: { name: "a" }, spec: { k: "v" } };
  await hub.operations.create(context, { definition: hub.definitionOf("http.example.org/v1", "Open"), ...place }, open);
  return hub;
}

const hub = await startHub();
afterAll(() => hub.store.close());

/** The way of a request from its bytes to the verbs, without a socket. */
async function send({ of, verb, body, type, validation = "", query }: Recorded, warnings: string[]): Promise<Answer> {
  const params = new URLSearchParams(query ?? `dryRun=All&fieldManager=t&fieldValidation=${validation}`);
  const definition =
    of === "cm" ? hub.definitionOf("v1", "ConfigMap") : hub.definitionOf("http.example.org/v1", "Open");
  const target = { definition, namespace: "shop", name: "a" };
  if (verb === "list" || verb === "watch") {
    const page = readListQuery(params, verb === "watch");
    const selection = readSelection(params, { definition, namespace: "shop" });
    if (verb === "list") await hub.operations.readPage(definition, { ...page, ...selection });
    else revisionOf(page.resourceVersion ?? "", (message) => new ApiFailure(500, "", message));
    return {};
  }
  const exchange = {
    request: { headers: { "user-agent": "t/1" } },
    user: administrator,
    warnings,
  } as unknown as Exchange;
  const bytes = Buffer.from(body, "utf8");
  if (verb === "create" || verb === "update") {
    const asked = readWriteQuery(params, verb === "create" ? "CreateOptions" : "UpdateOptions");
    const { value, problems } = await parseBody(bytes, { encoding: negotiateInput(type), expected: definition });
    const object = definition.isCustom ? customObjectOfBody(value, definition, bytes) : objectOfBody(value, definition);
    const context = operationContext(exchange, asked, problems);
    const place = { definition, namespace: "shop" };
    const written =
      verb === "create"
        ? await hub.operations.create(context, place, object)
        : await hub.operations.update(context, target, object);
    return answerOf(written, query);
  }
  const kind = patchKindOf(patchTypes[verb], definition);
  const asked = readPatchQuery(params, kind === "apply");
  const { isForced, fieldValidation } = asked;
  const { patch, problems } = await parsePatch(bytes, { kind, isForced, isUnchecked: fieldValidation === "Ignore" });
  const content: ClientWrite["content"] = patch;
  const context = operationContext(exchange, asked, problems);
  const { object } = await hub.operations.write(context, target, { content, authorizeCreate: () => undefined });
  return answerOf(object, query);
}

function answerOf(object: KubeObject, query: string | undefined): Answer {
  return query === undefined ? { content: (object["data"] ?? object["spec"] ?? null) as Json } : {};
}

async function answerTo(request: Recorded): Promise<Answer> {
  const warnings: string[] = [];
  const noted = (answer: Answer): Answer => ({ ...answer, ...(warnings.length === 0 ? {} : { warnings }) });
  try {
    return noted(await send(request, warnings));
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    const { code, message = "" } = error.status;
    return noted({ code, message: withoutObject(message) });
  }
}

/** The refused result of a patch has versions, times and managers in it. */
function withoutObject(message: string): string {
  return message.replace(/Invalid value: "\{\\".*\}": /su, "Invalid value: {}: ");
}

describe("a request that was recorded", () => {
  it.each(requests.map((request, index) => [index, request.verb, request] as const))(
    "%d %s",
    async (_index, _verb, request) => {
      expect(await answerTo(request)).toEqual(request.answer);
    },
  );
});
