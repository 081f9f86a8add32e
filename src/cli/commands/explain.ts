import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { printable } from "../../core/printable.ts";
import { printableJson } from "../../core/printable-json.ts";
import type { UnknownField } from "../../manifests/describe-field.ts";
import { describeField } from "../../manifests/describe-field.ts";
import { allKindNames, findKind, namesOfKinds } from "../../model/kind-names.ts";
import { renderField } from "../render/render-field.ts";
import type { PlainContext } from "./command-context.ts";

const usualWidth = 80;
const leastWidth = 40;
const mostWidth = 120;
const apiVersion = "rollcall.dev/v1alpha1";

/**
 * `rollcall explain KIND[.FIELD...]`: prints what a kind or a field means, from its schema. Without an argument, the kinds.
 * @throws E_USAGE for a kind or a field that there is none of
 */
export function runExplain({ args, settings, stdout }: PlainContext): Promise<number> {
  const [place] = args;
  const isJson = settings.text("output") === "json";
  if (place === undefined) {
    const kinds = allKindNames.map(({ kind }) => {
      const description = describeKind(kind);
      return { kind, description };
    });
    const text = kinds.map(({ kind, description }) => `${kind}\n  ${description}\n`).join("");
    stdout.write(isJson ? `${printableJson(kinds)}\n` : text);
    return Promise.resolve(0);
  }
  const [kindText = "", ...path] = place.replaceAll("[]", "").split(".");
  const names = findKind(kindText);
  if (names === undefined) throw unknownKind(kindText);
  const { kind } = names;
  const result = describeField(kind, path);
  if ("unknown" in result) throw unknownField(kind, result.unknown);
  const shown = { kind, apiVersion, path: path.join(".") };
  const width = Math.min(mostWidth, Math.max(leastWidth, stdout.columns ?? usualWidth));
  const text = (): string => renderField(result.found, shown, { width, isRecursive: settings.isOn("recursive") });
  stdout.write(isJson ? `${printableJson({ ...shown, ...result.found })}\n` : text());
  return Promise.resolve(0);
}

function describeKind(kind: string): string {
  const result = describeField(kind, []);
  return "found" in result ? result.found.description : "";
}

function unknownKind(text: string): AppError {
  const near = nearestName(text, namesOfKinds);
  const meant = near === undefined ? undefined : findKind(near)?.kind;
  const kinds = allKindNames.map(({ kind }) => kind).join(", ");
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
