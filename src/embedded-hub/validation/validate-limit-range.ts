import type { JsonObject } from "../../core/json.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import { objectAt, objectsAt, textAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { duplicate, forbidden, indexPath, invalid, keyPath, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { comparedAmounts } from "./compared-amounts.ts";
import {
  isOvercommitAllowed,
  nanosOf,
  validateContainerResourceName,
  validateResourceName,
} from "./validate-resources.ts";

type Amounts = Readonly<Record<string, string>>;

const types = ["Pod", "Container", "PersistentVolumeClaim"];

/** What is wrong with a LimitRange. Source: Kubernetes, pkg/apis/core/validation. */
export function validateLimitRange(range: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(range, "spec", "limits").flatMap((limit, at) => {
    const path = indexPath("spec.limits", at);
    const type = textAt(limit, "type") ?? "";
    const isAgain = seen.size === seen.add(type).size;
    return [
      ...validateType(type, `${path}.type`),
      ...(isAgain ? [duplicate(`${path}.type`, type)] : []),
      ...validateLimit(limit, type, path),
    ];
  });
}

function validateType(type: string, field: string): FieldError[] {
  const faults = checkQualifiedName(type);
  if (faults.length > 0) return faults.map((text) => invalid(field, type, text));
  if (type.includes("/") || types.includes(type)) return [];
  return [invalid(field, type, "must be a standard limit type or fully qualified")];
}

function validateLimit(limit: JsonObject, type: string, path: string): FieldError[] {
  const isPod = type === "Pod";
  const checkName = isPod || type === "Container" ? validateContainerResourceName : validateResourceName;
  const amounts = (field: string): Amounts => textMapAt(limit, field);
  const parts = {
    max: amounts("max"),
    min: amounts("min"),
    default: isPod ? {} : amounts("default"),
    defaultRequest: isPod ? {} : amounts("defaultRequest"),
    maxLimitRequestRatio: amounts("maxLimitRequestRatio"),
  };
  const refused = (isPod ? ["default", "defaultRequest"] : []).filter(
    (field) => Object.keys(objectAt(limit, field) ?? {}).length > 0,
  );
  const hasStorage = Object.hasOwn(parts.min, "storage") || Object.hasOwn(parts.max, "storage");
  const text = "either minimum or maximum storage value is required, but neither was provided";
  const named = Object.entries(parts).flatMap(([field, of]) => Object.keys(of).map((name) => [field, name] as const));
  return [
    ...named.flatMap(([field, name]) => checkName(name, keyPath(`${path}.${field}`, name))),
    ...refused.map((field) => forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'")),
    ...(type === "PersistentVolumeClaim" && !hasStorage ? [required(`${path}.limits`, text)] : []),
    ...[...new Set(named.map(([, name]) => name))].flatMap((name) => validateAmounts(name, parts, path)),
  ];
}

/** Of which two amounts one may not be over the other, what a message calls them, and the field and value that it names. */
const orders = [
  { low: "min", high: "max", field: "min", value: "low", words: ["min", "max"] },
  { low: "min", high: "defaultRequest", field: "defaultRequest", value: "high", words: ["min", "default request"] },
  { low: "defaultRequest", high: "max", field: "defaultRequest", value: "low", words: ["default request", "max"] },
  {
    low: "defaultRequest",
    high: "default",
    field: "defaultRequest",
    value: "low",
    words: ["default request", "default limit"],
  },
  { low: "min", high: "default", field: "default", value: "low", words: ["min", "default"] },
  { low: "default", high: "max", field: "default", value: "high", words: ["default", "max"] },
] as const;

type Part = (typeof orders)[number]["low" | "high"] | "maxLimitRequestRatio";

/** The amounts of one resource beside each other. */
function validateAmounts(name: string, parts: Readonly<Record<Part, Amounts>>, path: string): FieldError[] {
  const amount = (part: Part): string | undefined => (Object.hasOwn(parts[part], name) ? parts[part][name] : undefined);
  const fieldOf = (part: Part): string => keyPath(`${path}.${part}`, name);
  const [limit, request, ratio] = [amount("default"), amount("defaultRequest"), amount("maxLimitRequestRatio")];
  const isSplit =
    limit !== undefined && request !== undefined && !isOvercommitAllowed(name) && nanosOf(limit) !== nanosOf(request);
  return [
    ...orders.flatMap(({ low, high, field, value, words }) => {
      const [one, other] = [amount(low), amount(high)];
      if (one === undefined || other === undefined || nanosOf(one) <= nanosOf(other)) return [];
      const text = `${words[0]} value ${one} is greater than ${words[1]} value ${other}`;
      return [invalid(fieldOf(field), value === "low" ? one : other, text)];
    }),
    ...(ratio === undefined ? [] : validateRatio(ratio, amount("min"), amount("max"))).map((text) =>
      invalid(fieldOf("maxLimitRequestRatio"), ratio ?? "", text),
    ),
    ...(isSplit
      ? [
          invalid(
            fieldOf("defaultRequest"),
            request,
            `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
          ),
        ]
      : []),
  ];
}

function validateRatio(ratio: string, min: string | undefined, max: string | undefined): readonly string[] {
  const faults = nanosOf(ratio) < nanosOf("1") ? [`ratio ${ratio} is less than 1`] : [];
  if (min === undefined || max === undefined) return faults;
  const { values, isMilli } = comparedAmounts(nanosOf(ratio), nanosOf(min), nanosOf(max));
  const [asked = 0, least = 0, most = 0] = values.map(Number);
  const largest = most / least;
  if (!(asked / (isMilli ? 1000 : 1) > largest)) return faults;
  return [...faults, `ratio ${ratio} is greater than max/min = ${largest.toFixed(6)}`];
}
