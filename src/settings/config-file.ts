import { parseDocument } from "yaml";
import { AppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { readText } from "../system/read-text.ts";

/**
 * The settings in the file of --config: YAML or JSON, names as in the `options` of the chart.
 * @throws E_USAGE when it cannot be read or is not one map
 */
export async function readConfigFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const document = parseDocument(await readText(path), { uniqueKeys: true, stringKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new AppError("E_USAGE", `read ${path}: ${problem.message}`);
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return {};
  if (!isJsonObject(value)) throw new AppError("E_USAGE", `read ${path}: it is not a map of settings`);
  return value;
}
