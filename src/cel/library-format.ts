import { ownValue } from "../core/own-value.ts";
import {
  checkLabel,
  checkLabel1035,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "../core/formats/kube-names.ts";
import { fitsFormat } from "../core/formats/named-formats.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError, celList, isKind, noSuchOverload } from "./cel-value.ts";
import { textOf } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare } from "./overload.ts";

const typeName = "kubernetes.NamedFormat";

type Check = (text: string) => readonly string[];

/** A prefix may end with a dash: something follows it. */
function prefixOf(check: Check): Check {
  return (text) => check(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}

function ofSchema(format: string, message: string): Check {
  return (text) => (fitsFormat(format, text) ? [] : [message]);
}

const checks: Readonly<Record<string, Check>> = {
  dns1123Label: checkLabel,
  dns1123Subdomain: checkSubdomain,
  dns1035Label: checkLabel1035,
  qualifiedName: checkQualifiedName,
  dns1123LabelPrefix: prefixOf(checkLabel),
  dns1123SubdomainPrefix: prefixOf(checkSubdomain),
  dns1035LabelPrefix: prefixOf(checkLabel1035),
  labelValue: checkLabelValue,
  uri: (text) => (fitsFormat("uri", text) ? [] : [`parse ${JSON.stringify(text)}: ${uriFault(text)}`]),
  uuid: ofSchema("uuid", "does not match the UUID format"),
  byte: ofSchema("byte", "invalid base64"),
  date: ofSchema("date", "invalid date"),
  datetime: ofSchema("datetime", "invalid datetime"),
};

function uriFault(text: string): string {
  return text === "" ? "empty url" : "invalid URI for request";
}

function formatOf(name: string): CelValue {
  return { kind: "opaque", typeName, payload: name, equals: (other) => other.payload === name };
}

function validate(format?: CelValue, text?: CelValue): CelValue {
  const name = format !== undefined && isKind(format, "opaque") ? String(format.payload) : "";
  const check = ownValue(checks, name);
  if (check === undefined) throw new CelError(noSuchOverload);
  const faults = check(textOf(text));
  return { kind: "optional", value: faults.length === 0 ? undefined : celList(faults) };
}

/** Named formats of texts, as Kubernetes adds them. */
export const formatLibrary: readonly Declaration[] = [
  ...Object.keys(checks).map((name) => declare(`format.${name}(): ${typeName}`, () => formatOf(name))),
  declare(`format.named(string): optional<${typeName}>`, (name) => ({
    kind: "optional",
    value: Object.hasOwn(checks, textOf(name)) ? formatOf(textOf(name)) : undefined,
  })),
  declare(
    `${typeName}.validate(string): optional<list<string>>`,
    validate,
    (values) => Math.ceil(textOf(values[1]).length * 0.1) * 10,
  ),
];
