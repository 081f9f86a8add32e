import { stringify } from "yaml";
import { settingName } from "./option-entry.ts";
import type { Setting, Settings, SettingValue } from "./settings.ts";

/** Options of a single start, which the printed file leaves out. */
const notSettings = new Set(["config", "print-config", "once"]);

/**
 * The settings as a file for --config, each with its source. An option without value and default is a comment. No
 * option holds a secret; credentials in an address are left out all the same.
 */
export function renderConfig(settings: Settings): string {
  const lines = settings.entries
    .filter(({ option }) => !notSettings.has(option.name) && option.isFlagOnly !== true)
    .map(renderSetting);
  return `${lines.join("\n")}\n`;
}

function renderSetting({ option, value, origin }: Setting): string {
  const name = settingName(option.name);
  if (value === undefined || value === "") return `# ${name}:`;
  const text = stringify({ [name]: withoutCredentials(value) }, { lineWidth: 0, collectionStyle: "flow" });
  return `${text.trim().replace(/^\{ ?|[ ]?\}$/gu, "")} # ${origin}`;
}

function withoutCredentials(value: SettingValue): SettingValue {
  if (typeof value === "object") return value.map(addressWithoutCredentials);
  return typeof value === "string" ? addressWithoutCredentials(value) : value;
}

/** The name of a user of ssh is none: `git` belongs to the address. */
function addressWithoutCredentials(value: string): string {
  if (!URL.canParse(value)) return value;
  const url = new URL(value);
  const username = url.protocol === "ssh:" ? url.username : "";
  if (url.password === "" && url.username === username) return value;
  return Object.assign(url, { username, password: "" }).href;
}
