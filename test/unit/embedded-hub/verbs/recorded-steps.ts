import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { readSelection } from "../../../../src/embedded-hub/http/selection.ts";
import type { DeleteBody, OperationContext, Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import type { PatchBody, Target } from "../../../../src/embedded-hub/operations/operations.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";
import { startMemoryHub } from "./memory-hub.ts";

/** What kube-apiserver 1.34 answered to sequences of requests in a namespace `shop` that was empty. */
interface Recording {
  /** Of the custom kinds in them. */
  readonly crds: readonly KubeObject[];
  readonly sequences: readonly Sequence[];
}

interface Sequence {
  readonly name: string;
  /** Managed fields are compared, too. */
  readonly isTracked?: true;
  readonly steps: readonly Step[];
}

interface Step {
  readonly verb: "create" | "update" | "delete" | "deleteCollection" | "get" | "list" | PatchBody["kind"];
  /** `<apiVersion>/<kind>` */
  readonly of: string;
  readonly name?: string;
  readonly sub?: string;
  /** `U1`, `V1` and `C1` in it are the first uid, version and continue token of the answers. */
  readonly body?: Json;
  readonly dry?: boolean;
  readonly validation?: OperationContext["fieldValidation"];
  readonly manager?: string;
  readonly force?: boolean;
  readonly query?: Readonly<Record<string, string | number>>;
  /** The part of the object that is compared. */
  readonly only?: "metadata" | "status" | "none";
  readonly answer: Answer;
}

interface Answer {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: unknown;
  /** A refused list may continue with another token. */
  readonly continues?: true;
  readonly created?: true;
  readonly gone?: true;
  readonly object?: unknown;
  readonly names?: readonly string[];
  readonly continue?: string;
  readonly remaining?: number;
  readonly warnings?: readonly string[];
}

/** Names for what differs from one server to another, in the order of its appearance. */
class Labels {
  readonly isTracked: boolean;
  private readonly labels = {
    U: new Map<string, string>(),
    V: new Map<string, string>(),
    C: new Map<string, string>(),
  };

  constructor(isTracked: boolean) {
    this.isTracked = isTracked;
  }

  of(kind: "U" | "V" | "C", value: string): string {
    const known = this.labels[kind];
    const label = known.get(value) ?? `${kind}${known.size + 1}`;
    known.set(value, label);
    return label;
  }

  /** The value with what its labels name. */
  resolve<T>(value: T): T {
    const pairs = Object.values(this.labels).flatMap((known) => [...known]);
    const text = pairs.reduce(
      (changed, [meant, label]) => changed.replaceAll(`"${label}"`, () => JSON.stringify(meant)),
      JSON.stringify(value),
    );
    return JSON.parse(text) as T;
  }

  inText(text: string): string {
    return text
      .replace(/\((\d+)\)/gu, (_all, version: string) => `(${this.of("V", version)})`)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/gu, (uid) => this.of("U", uid))
      .replace(/"g-[a-z0-9]{5}"/gu, '"g-?"');
  }
}

function targetOf(operations: Operations, { of, name = "", sub }: Step): Target {
  const slash = of.lastIndexOf("/");
  const definition = operations.definitionOfKind(of.slice(0, slash), of.slice(slash + 1));
  if (definition === undefined) throw new Error(`${of} is not served`);
  const place = definition.isNamespaced ? { namespace: "shop" } : {};
  return { definition, name, ...place, ...(sub === undefined ? {} : { subresource: sub }) };
}

async function send(operations: Operations, step: Step, labels: Labels, warnings: string[]): Promise<Answer> {
  const target = targetOf(operations, step);
  const { verb, dry: isDryRun = false, validation: fieldValidation = "Strict", manager: fieldManager = "test" } = step;
  const context = { ...contextOf(administrator), isDryRun, fieldValidation, fieldManager, warnings };
  const body = step.body === undefined ? {} : labels.resolve(step.body);
  const options = body as DeleteBody;
  const query = labels.resolve(step.query ?? {});
  const shown = (object: KubeObject): unknown => shownObject(object, step, labels);
  const { definition, namespace } = target;
  const page = {
    ...(namespace === undefined ? {} : { namespace }),
    ...readSelection(new URLSearchParams(JSON.parse(JSON.stringify(query)) as Record<string, string>), { definition }),
    ...("limit" in query ? { limit: Number(query["limit"]) } : {}),
    ...("continue" in query ? { continueToken: String(query["continue"]) } : {}),
    ...("resourceVersion" in query ? { resourceVersion: String(query["resourceVersion"]) } : {}),
  };
  switch (verb) {
    case "create":
      return { created: true, object: shown(await operations.create(context, target, body as unknown as KubeObject)) };
    case "get": {
      const object = operations.get(target);
      return object === undefined ? { code: 404 } : { object: shown(object) };
    }
    case "list": {
      const { items, continueToken, remainingCount } = await operations.readPage(definition, page);
      return {
        names: items.map(({ object }) => object.metadata.name),
        ...(continueToken === undefined ? {} : { continue: labels.of("C", continueToken) }),
        ...(remainingCount === undefined ? {} : { remaining: remainingCount }),
      };
    }
    case "delete": {
      const { object, isGone } = await operations.delete(context, target, options);
      return isGone && step.answer.object === undefined ? { gone: true } : { object: shown(object) };
    }
    case "deleteCollection": {
      const { items } = await operations.deleteCollection(context, target, { query: page, options });
      return { names: items.map(({ object }) => object.metadata.name) };
    }
    default: {
      const authorizeCreate = (): void => undefined;
      const content = contentOf(verb, body, step.force === true);
      const { object, isCreated } = await operations.write(context, target, { content, authorizeCreate });
      return { ...(isCreated ? { created: true } : {}), object: shown(object) };
    }
  }
}

function contentOf(kind: "update" | PatchBody["kind"], body: Json, isForced: boolean) {
  const object = body as unknown as KubeObject;
  if (kind === "update") return { kind, object };
  if (kind === "apply") return { kind, object, isForced };
  return kind === "json" ? { kind, operations: body } : { kind, patch: body };
}

function shownObject(object: KubeObject, { only }: Step, labels: Labels): unknown {
  const { managedFields, ...metadata } = object.metadata as unknown as Record<string, Json>;
  const text = (field: string): string => textAt(metadata, field) ?? "";
  const shown: Record<string, unknown> = {
    ...metadata,
    ...(metadata["name"] === undefined ? {} : { name: text("name").replace(/^g-.{5}$/u, "g-?") }),
    ...("uid" in metadata ? { uid: labels.of("U", text("uid")) } : {}),
    ...("resourceVersion" in metadata ? { resourceVersion: labels.of("V", text("resourceVersion")) } : {}),
  };
  for (const field of ["creationTimestamp", "deletionTimestamp"]) if (field in shown) shown[field] = "T";
  const { status } = object;
  // Those of one second are in another order than those of several.
  const managers = (managedFields as readonly JsonObject[] | undefined)
    ?.map(({ time: _time, fieldsType: _type, ...entry }) => entry)
    .sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
  if (only === "none") return { metadata: { name: shown["name"] } };
  const all = { ...shown, ...(managers === undefined || !labels.isTracked ? {} : { managedFields: managers }) };
  if (only === "status") return withoutTimes({ metadata: all, status });
  return withoutTimes(only === "metadata" ? { metadata: all } : { ...object, metadata: all });
}

/** Times that a hub chose are `T`; those of the requests are in 2020. */
function withoutTimes(value: object): unknown {
  return JSON.parse(JSON.stringify(value).replace(/"(?!2020)\d{4}-\d\d-\d\dT[\d:.]+Z"/gu, '"T"'));
}

function rankOf(entry: JsonObject): string {
  return ["manager", "operation", "subresource", "apiVersion"].map((field) => textAt(entry, field) ?? "").join(" ");
}

async function answerTo(operations: Operations, step: Step, labels: Labels): Promise<Answer> {
  const warnings: string[] = [];
  const noted = (answer: Answer): Answer => {
    // This hub warns of kinds that it only stores.
    const same = warnings.filter((text) => !text.includes("is stored and has no effect"));
    return { ...answer, ...(same.length === 0 ? {} : { warnings: same }) };
  };
  try {
    return noted(await send(operations, step, labels, warnings));
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    const { code, reason, message, details, metadata } = error.status;
    const causes = details?.causes?.map((cause) => ({ ...cause, message: withoutObject(cause.message) }));
    const answer = { code, reason, message: withoutObject(message), ...(causes === undefined ? {} : { causes }) };
    const text = JSON.stringify({ ...answer, ...(metadata?.continue === undefined ? {} : { continues: true }) });
    return noted(JSON.parse(labels.inText(text)) as Answer);
  }
}

/** The refused result of a patch has versions, times and managers in it. */
function withoutObject(message = ""): string {
  return message
    .replace(/Invalid value: "\{\\".*\}": /su, "Invalid value: {}: ")
    .replace(/missing in '\{.*\}'/su, "missing in {}");
}

/** Sends the sequences of a recording, each to a hub of its own, and compares the answers. */
export function replayRecording(file: URL): void {
  const { crds, sequences } = JSON.parse(readFileSync(file, "utf8")) as Recording;
  describe("a sequence of requests that was recorded", () => {
    it.each(sequences)("has the same answers: $name", async ({ steps, isTracked = false }) => {
      const { operations } = await startMemoryHub(crds);
      const labels = new Labels(isTracked);
      for (const [index, step] of steps.entries()) {
        expect({ index, ...(await answerTo(operations, step, labels)) }).toEqual({ index, ...step.answer });
      }
    });
  });
}
