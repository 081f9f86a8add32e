import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { Target } from "../../../../src/embedded-hub/operations/operations.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";
import type { MemoryHub } from "../verbs/memory-hub.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";

/** A definition, by what differs from a sound one: null is a field that is absent. */
interface Row {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly version?: JsonObject;
  /** What kube-apiserver 1.34 answered: `<field>: <message>` of each cause, in order; none of a definition that it takes. */
  readonly causes: readonly string[];
  readonly warnings?: readonly string[];
}

const file = new URL("golden/definitions.json", import.meta.url);
const recording = JSON.parse(readFileSync(file, "utf8")) as { readonly creates: Row[]; readonly updates: Row[] };
const name = "faults.faults.example.org";

function definitionOf({ metadata = {}, spec = {}, version = {} }: Partial<Row>): KubeObject {
  const text = { type: "string", maxLength: 20 };
  const list = { type: "array", maxItems: 5, items: { type: "integer" } };
  const properties = { a: text, n: list, i: { type: "integer" } };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  const first = { name: "v1", served: true, storage: true, schema };
  const crd: unknown = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: withoutNull({ name, ...metadata }),
    spec: {
      group: "faults.example.org",
      scope: "Namespaced",
      names: { plural: "faults", kind: "Fault" },
      versions: [withoutNull({ ...first, ...version })],
      ...spec,
    },
  };
  return crd as KubeObject;
}

function withoutNull(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

async function answerOf(
  { definitionOf: of }: MemoryHub,
  write: (target: Target, warnings: string[]) => Promise<unknown>,
): Promise<Pick<Row, "causes" | "warnings">> {
  const warnings: string[] = [];
  const target = { definition: of("apiextensions.k8s.io/v1", "CustomResourceDefinition"), name };
  try {
    await write(target, warnings);
    return { causes: [], ...(warnings.length === 0 ? {} : { warnings }) };
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    const { details, message = "" } = error.status;
    const causes = details?.causes?.map((cause) => `${cause.field}: ${plainText(cause.message)}`) ?? [message];
    return { causes: causes.sort(), ...(warnings.length === 0 ? {} : { warnings }) };
  }
}

/** Objects are printed as each program holds them; the end of a generated name is random. */
function plainText(message = ""): string {
  return message
    .replace(/^Invalid value: [[{].*[\]}]: /su, "Invalid value: OBJECT: ")
    .replace(/^(Invalid value: ".*?)[a-z0-9]{5}(": must be spec.names.plural.*)/u, "$1?????$2");
}

const answerIn = ({ causes, warnings }: Row) => ({ causes, ...(warnings === undefined ? {} : { warnings }) });

describe("a definition that was recorded", async () => {
  const hub = await startMemoryHub();
  it.each(recording.creates.map((row, index) => [index, row] as const))("is taken or refused: %d", async (_at, row) => {
    const answer = await answerOf(hub, ({ definition }, warnings) =>
      hub.operations.create(
        { ...contextOf(administrator), isDryRun: true, warnings },
        { definition },
        definitionOf(row),
      ),
    );
    expect(answer).toEqual(answerIn(row));
  });
});

describe("a change of a definition whose kind is served", async () => {
  const hub = await startMemoryHub();
  const context = contextOf(administrator);
  const definition = hub.definitionOf("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const made = await hub.operations.create(context, { definition }, definitionOf({}));
  const conditions = [{ type: "Established", status: "True" }];
  const status = { ...(made["status"] as JsonObject), conditions };
  const { metadata } = await hub.operations.update(
    context,
    { definition, name, subresource: "status" },
    { ...made, status },
  );
  const resourceVersion = metadata.resourceVersion ?? "";

  it.each(recording.updates.map((row, index) => [index, row] as const))("is taken or refused: %d", async (_at, row) => {
    const changed = definitionOf(row);
    const answer = await answerOf(hub, (target, warnings) =>
      hub.operations.update({ ...context, isDryRun: true, warnings }, target, {
        ...changed,
        metadata: { ...changed.metadata, resourceVersion },
      }),
    );
    expect(answer).toEqual(answerIn(row));
  });
});
