import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import type { FieldType, MessageField } from "../../../../src/embedded-hub/types/type-registry.ts";
import { messageType, messageTypeOfKind } from "../../../../src/embedded-hub/types/type-registry.ts";
import { baseObjects } from "../../../support/scalars/base-objects.ts";

/** Right entries of which no two are the same, wrong ones, and right ones that are all the same. */
const marks = ["right", "wrong", "equal"] as const;
type Mark = (typeof marks)[number];

/** A valid object but for one list or map, or for two of them. */
export interface FilledObject {
  readonly name: string;
  readonly definition: ResourceDefinition;
  /** The object with so many entries in each of the fields. */
  readonly objectWith: (count: number) => JsonObject;
}

interface Step {
  readonly field: MessageField;
  readonly message: string;
}

const deepest = 9;

/** Each list and map of each kind: with small entries, with whole ones, with an entry in each of many items above it, and pairs. */
export function filledObjects(definitions: readonly ResourceDefinition[]): FilledObject[] {
  return definitions.flatMap((definition) => {
    const { group, version, kind } = definition;
    const base = baseObjects.find((one) => one.group === group && one.kind === kind);
    const root = messageTypeOfKind(group, version, kind);
    if (base === undefined || root === undefined) return [];
    const places = placesBelow(root.name, [], new Set());
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const objectOf = (content: Json): JsonObject => {
      const fields = isJsonObject(content) ? content : {};
      const metadata = isJsonObject(fields["metadata"]) ? fields["metadata"] : {};
      return { apiVersion, kind, ...fields, metadata: { ...metadata, name: "live" } };
    };
    const filled = (steps: readonly Step[], mark: Mark, isWhole: boolean, fanAt?: number): FilledObject => ({
      name: `${definition.plural} ${pathOf(steps)} (${mark}${isWhole ? ", whole" : ""}${fanAt === undefined ? "" : `, in each of ${steps[fanAt]?.field.name}`})`,
      definition,
      objectWith: (count) => objectOf(fill(base.content, steps, { count, mark, isWhole, fanAt })),
    });
    const pairs = places.map((steps, index): FilledObject => {
      const other = places[(index * 7 + 3) % places.length] ?? steps;
      return {
        name: `${definition.plural} ${pathOf(steps)} beside ${pathOf(other)}`,
        definition,
        objectWith: (count) => {
          const filling = { count: Math.ceil(count / 2), mark: "right", isWhole: false } as const;
          return objectOf(fill(fill(base.content, steps, filling), other, filling));
        },
      };
    });
    const fans = places.flatMap((steps) =>
      steps
        .slice(0, -1)
        .flatMap(({ field }, at) => (field.type.kind === "list" ? [filled(steps, "right", false, at)] : [])),
    );
    const alone = places.flatMap((steps) =>
      marks.flatMap((mark) => [filled(steps, mark, false), filled(steps, mark, true)]),
    );
    return [...alone, ...fans, ...pairs];
  });
}

/** Where the lists and maps below a message are, each message's once. */
function placesBelow(message: string, above: readonly Step[], seen: Set<string>): (readonly Step[])[] {
  if (above.length > deepest || seen.has(message)) return [];
  seen.add(message);
  return messageType(message).fields.flatMap((field) => {
    const steps = [...above, { field, message }];
    const below = messageOf(field.type);
    const isMany = field.type.kind === "list" || field.type.kind === "map";
    return [...(isMany ? [steps] : []), ...(below === undefined ? [] : placesBelow(below, steps, seen))];
  });
}

function pathOf(steps: readonly Step[]): string {
  return steps.map(({ field }) => field.name).join(".");
}

function messageOf(type: FieldType): string | undefined {
  if (type.kind === "message") return type.message;
  return type.kind === "scalar" ? undefined : messageOf(type.element);
}

interface Filling {
  readonly count: number;
  readonly mark: Mark;
  readonly isWhole: boolean;
  /** The list above that has so many items, each of them with one entry. */
  readonly fanAt?: number | undefined;
}

/** The value with the entries at the end of the steps; what is on the way keeps what it has. */
function fill(value: Json | undefined, steps: readonly Step[], filling: Filling, at = 0): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return value ?? null;
  const { field } = step;
  const own = isJsonObject(value) ? value : {};
  if (rest.length === 0) {
    const count = filling.fanAt === undefined ? filling.count : 1;
    return { ...own, [field.name]: entriesOf(field, { ...filling, count }) };
  }
  const inner = (current: Json | undefined): Json => fill(current, rest, filling, at + 1);
  if (field.isInline) return { ...own, ...(inner(own) as JsonObject) };
  const current = own[field.name];
  if (field.type.kind === "message")
    return { ...own, [field.name]: inner(current ?? entryOf(field.type, field, { index: 0, mark: "right" })) };
  const [first] = Array.isArray(current) ? (current as readonly Json[]) : [];
  const items = many(filling.fanAt === at ? filling.count : 1, (index) => {
    const entry = entryOf(elementOf(field.type), field, { index, mark: "right" });
    return inner(
      isJsonObject(first) && isJsonObject(entry) ? { ...first, ...(filling.fanAt === at ? entry : {}) } : entry,
    );
  });
  return {
    ...own,
    [field.name]:
      field.type.kind === "list" ? items : Object.fromEntries(items.map((item, index) => [`k${index}`, item])),
  };
}

function elementOf(type: FieldType): FieldType {
  return type.kind === "list" || type.kind === "map" ? type.element : type;
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function entriesOf(field: MessageField, { count, mark, isWhole }: Filling): Json {
  const entries = many(count, (index) =>
    entryOf(elementOf(field.type), field, { index, mark, levels: isWhole ? 3 : 0 }),
  );
  if (field.type.kind !== "map") return entries;
  return Object.fromEntries(
    entries.map((entry, index) => [mark === "wrong" ? `-Wrong_ ${index}` : `example.org/k${index}`, entry]),
  );
}

interface Entry {
  readonly index: number;
  readonly mark: Mark;
  /** Default 0: a message has its small fields. */
  readonly levels?: number;
}

/** A value; of a message its required fields, keys and first scalars, or all fields down to some levels. */
function entryOf(type: FieldType, field: MessageField, entry: Entry): Json {
  const { index, mark, levels = 0 } = entry;
  switch (type.kind) {
    case "scalar":
      return scalarOf(type.scalar, field, mark === "equal" ? 0 : index, mark === "wrong");
    case "list":
      return [entryOf(type.element, field, entry)];
    case "map":
      return { [`k${index}`]: entryOf(type.element, field, entry) };
    case "message": {
      const { fields } = messageType(type.message);
      const scalars = fields.filter((one) => one.type.kind === "scalar");
      const chosen = fields.filter((one) => {
        const isSmall =
          one.isRequired || /^(?:name|key|kind|operator|port|containerPort|mountPath|ip|uid|image)$/u.test(one.name);
        return isSmall || scalars.indexOf(one) === 0 || (levels > 0 && !one.isInline);
      });
      return Object.fromEntries(
        chosen.map((one) => [one.name, entryOf(one.type, one, { index, mark, levels: levels - 1 })]),
      );
    }
  }
}

function scalarOf(scalar: string, { name, enum: known }: MessageField, index: number, isWrong: boolean): Json {
  if (!isWrong && known?.[0] !== undefined) return known[0];
  const text = isWrong ? `-Wrong_/x/ ${index}` : textOf(name.toLowerCase(), index);
  switch (scalar) {
    case "bool":
      return index % 2 === 0;
    case "int32":
    case "int64":
    case "double":
      return isWrong ? -1 - index : (index % 60_000) + 1;
    case "Quantity":
      return isWrong ? `-${index + 1}` : `${index + 1}`;
    case "IntOrString":
      return isWrong ? text : (index % 60_000) + 1;
    case "bytes":
      return Buffer.from(text).toString("base64");
    case "Time":
      return "2026-01-01T00:00:00Z";
    case "MicroTime":
      return "2026-01-01T00:00:00.000000Z";
    case "FieldsV1":
      return { [`f:k${index}`]: {} };
    case "JSON":
    case "RawExtension":
      return { [`k${index}`]: index };
    default:
      return text;
  }
}

/** A text that a field of this name takes. */
function textOf(name: string, index: number): string {
  if (/(?:^|external|cluster|host|pod)ips?$|^addresses$/u.test(name))
    return `10.0.${(index >> 8) & 255}.${index & 255}`;
  if (name.includes("cidr")) return `10.0.${(index >> 8) & 255}.${index & 255}/32`;
  if (name.endsWith("path")) return `/p${index}`;
  if (name === "finalizers") return `example.org/f${index}`;
  if (name === "expression" || name === "rule") return `'${index}' != ''`;
  const known: Readonly<Record<string, string>> = {
    apiversion: "v1",
    operator: "In",
    effect: "NoSchedule",
    protocol: "TCP",
  };
  return known[name] ?? `n${index}`;
}
