import { AppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import { readText } from "../system/read-text.ts";

/**
 * The settings in the file of --config: YAML or JSON, names as in the `options` of the chart.
 * @throws E_USAGE when it cannot be read or is not one map
 */
export async function readConfigFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const read = readYamlDocument(await readText(path));
  if (read.problem !== undefined) throw new AppError("E_USAGE", `read ${path}: line ${read.line}: ${read.problem}`);
  const { value } = read;
  if (value === null) return {};
  if (!isJsonObject(value)) throw new AppError("E_USAGE", `read ${path}: it is not a map of settings`);
  return value;
}
