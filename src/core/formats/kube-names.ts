import { appendAll } from "../append-all.ts";

/** Checks return what is wrong with a text, as kube-apiserver reports it; an empty list means good. */
export type NameCheck = (value: string) => readonly string[];

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValuePattern = `(${qualifiedPattern})?`;
const configKeyPattern = "[-._a-zA-Z0-9]+";

const labelRegExp = new RegExp(`^${labelPattern}$`, "u");
const subdomainRegExp = new RegExp(`^${subdomainPattern}$`, "u");
const label1035RegExp = new RegExp(`^${label1035Pattern}$`, "u");
const qualifiedRegExp = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/u;
const labelValueRegExp = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/u;
const configKeyRegExp = /^[-._a-zA-Z0-9]+$/u;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const qualifiedText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const configKeyText = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

export function checkSubdomain(value: string): readonly string[] {
  const errors = checkLength(value, 253);
  if (subdomainRegExp.test(value)) return errors;
  return [...errors, describePattern(subdomainText, subdomainPattern, ["example.com"])];
}

export function checkLabel(value: string): readonly string[] {
  const errors = checkLength(value, 63);
  if (labelRegExp.test(value)) return errors;
  if (subdomainRegExp.test(value)) return [...errors, "must not contain dots"];
  return [...errors, describePattern(labelText, labelPattern, ["my-name", "123-abc"])];
}

/** RFC 1035: names of Services begin with a letter. */
export function checkLabel1035(value: string): readonly string[] {
  const errors = checkLength(value, 63);
  if (label1035RegExp.test(value)) return errors;
  return [...errors, describePattern(label1035Text, label1035Pattern, ["my-name", "abc-123"])];
}

/** What a name in a URL path may be: RBAC kinds take all of it. */
export function checkPathSegment(value: string): readonly string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Label keys, annotation keys and finalizers. */
export function checkQualifiedName(value: string): readonly string[] {
  const examples = ["MyName", "my.name", "123-abc"];
  const parts = value.split("/");
  if (parts.length > 2) {
    const text = describePattern(qualifiedText, qualifiedPattern, examples);
    return [`a qualified name ${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? "";
  const errors: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") errors.push("prefix part must be non-empty");
    else
      appendAll(
        errors,
        checkSubdomain(prefix).map((text) => `prefix part ${text}`),
      );
  }
  if (name === "") errors.push("name part must be non-empty");
  else
    appendAll(
      errors,
      checkLength(name, 63).map((text) => `name part ${text}`),
    );
  if (!qualifiedRegExp.test(name)) {
    errors.push(`name part ${describePattern(qualifiedText, qualifiedPattern, examples)}`);
  }
  return errors;
}

export function checkLabelValue(value: string): readonly string[] {
  const errors = checkLength(value, 63);
  if (labelValueRegExp.test(value)) return errors;
  return [...errors, describePattern(labelValueText, labelValuePattern, ["MyValue", "my_value", "12345"])];
}

/** Keys of ConfigMap and Secret data. */
export function checkConfigKey(value: string): readonly string[] {
  const errors = [...checkLength(value, 253)];
  if (!configKeyRegExp.test(value)) {
    errors.push(describePattern(configKeyText, configKeyPattern, ["key.name", "KEY_NAME", "key-name"]));
  }
  if (value === ".") errors.push("must not be '.'");
  else if (value === "..") errors.push("must not be '..'");
  else if (value.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

function checkLength(value: string, maximum: number): readonly string[] {
  return value.length > maximum ? [`must be no more than ${maximum} characters`] : [];
}

function describePattern(text: string, pattern: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${text} (e.g. ${list}regex used for validation is '${pattern}')`;
}
