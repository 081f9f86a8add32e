import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { printable } from "../../core/printable.ts";
import { printableJson } from "../../core/printable-json.ts";
import type { UnknownField } from "../../manifests/describe-field.ts";
import { describeField, foreignKinds } from "../../manifests/describe-field.ts";
import { allKindNames, findKind, namesOfKinds } from "../../model/kind-names.ts";
import { renderField } from "../render/render-field.ts";
import type { PlainContext } from "./command-context.ts";

const usualWidth = 80;
const leastWidth = 40;
const mostWidth = 120;
const ownVersion = "rollcall.dev/v1alpha1";

interface ExplainedKind {
  readonly kind: string;
  readonly apiVersion: string;
}

const explainedKinds: readonly ExplainedKind[] = [
  ...allKindNames.map(({ kind }) => ({ kind, apiVersion: ownVersion })),
  ...foreignKinds,
];

/**
 * `rollcall explain KIND[.FIELD...]`: prints what a kind or a field means, from its schema. Without an argument, the kinds.
 * `--api-version` chooses among kinds of one name, as of `kubectl explain`. Default: the one of this project, else the newest.
 * @throws E_USAGE for a kind or a field that there is none of
 */
export function runExplain({ args, settings, stdout }: PlainContext): Promise<number> {
  const [place] = args;
  const isJson = settings.text("output") === "json";
  if (place === undefined) {
    const kinds = explainedKinds.map((one) => ({ ...one, description: describeKind(one) }));
    const text = kinds.map((one) => `${nameOf(one)}\n  ${one.description}\n`).join("");
    stdout.write(isJson ? `${printableJson(kinds)}\n` : text);
    return Promise.resolve(0);
  }
  const [kindText = "", ...path] = place.replaceAll("[]", "").split(".");
  const { kind, apiVersion } = findExplained(kindText, settings.text("api-version"));
  const result = describeField(kind, path, apiVersion);
  if ("unknown" in result) throw unknownField(kind, result.unknown);
  const shown = { kind, apiVersion, path: path.join(".") };
  const width = Math.min(mostWidth, Math.max(leastWidth, stdout.columns ?? usualWidth));
  const text = (): string => renderField(result.found, shown, { width, isRecursive: settings.isOn("recursive") });
  stdout.write(isJson ? `${printableJson({ ...shown, ...result.found })}\n` : text());
  return Promise.resolve(0);
}

function nameOf({ kind, apiVersion }: ExplainedKind): string {
  return apiVersion === ownVersion ? kind : `${kind} (${apiVersion})`;
}

function describeKind({ kind, apiVersion }: ExplainedKind): string {
  const result = describeField(kind, [], apiVersion);
  return "found" in result ? result.found.description : "";
}

function findExplained(text: string, apiVersion: string | undefined): ExplainedKind {
  const own = findKind(text)?.kind;
  const name = text.toLowerCase();
  const named = explainedKinds.filter(
    ({ kind }) => kind === own || [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(name),
  );
  if (named.length === 0) throw unknownKind(text);
  const isWanted = (one: ExplainedKind): boolean => one.apiVersion === (apiVersion ?? ownVersion);
  const found = named.find(isWanted) ?? (apiVersion === undefined ? named.at(-1) : undefined);
  if (found !== undefined) return found;
  const versions = named.map((one) => one.apiVersion).join(", ");
  throw new AppError(
    "E_USAGE",
    `${printable(apiVersion ?? "")} has no kind ${printable(text)}; these have: ${versions}`,
  );
}

function unknownKind(text: string): AppError {
  const near = nearestName(text, [...namesOfKinds, ...foreignKinds.map(({ kind }) => kind)]);
  const meant = near === undefined ? undefined : (findKind(near)?.kind ?? near);
  const kinds = [...new Set(explainedKinds.map(({ kind }) => kind))].join(", ");
  const hint = meant === undefined ? `there are ${kinds}` : `did you mean ${meant}?`;
  return new AppError("E_USAGE", `there is no kind ${printable(text)}; ${hint}`);
}

/** The error for a field that `kind` does not have. */
export function unknownField(kind: string, { parent, name, near, fields }: UnknownField): AppError {
  const place = [kind, ...parent].join(".");
  if (name === "") return new AppError("E_USAGE", `a name of a field is missing after ${place}.`);
  const there = fields.length === 0 ? `${place} has no fields` : `it has ${fields.join(", ")}`;
  const hint = near === undefined ? there : `did you mean ${[place, near].join(".")}?`;
  return new AppError("E_USAGE", `${place} has no field ${printable(name)}; ${hint}`);
}
