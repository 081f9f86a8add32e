import { valueAt } from "../core/read-json.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";

/** Reports what is wrong at a path of a document; where there is nothing, at the place where it should be. */
export function reportPlace(
  subject: FleetDocument,
  report: FleetReport,
  { path, what, fix }: { readonly path: readonly (string | number)[]; readonly what: string; readonly fix: string },
): void {
  const where = path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
  const isThere = valueAt(subject.object, ...path) !== undefined;
  const place = isThere ? { path, part: "value" as const } : { path: path.slice(0, -1), part: "value" as const };
  report.add(subject, { code: "E_SCHEMA", ...place, message: `${where}: ${what}`, fix });
}
