import { AppError } from "../core/errors.ts";
import { isLocalPath } from "./read-path.ts";
import { placeOf } from "./options-without-effect.ts";
import type { Setting, Settings } from "./settings.ts";

/** Options whose value is the name of one object on a hub, and what that object is. */
const objects: ReadonlyMap<string, string> = new Map([
  ["repository", "a Repository object on the hub"],
  ["namespace", "a namespace"],
  ["workspace", "a namespace"],
  ["default-workspace", "a namespace"],
  ["agent-namespace", "a namespace"],
  ["cluster-name", "a cluster"],
  ["age-key-secret", "a Secret in the daemon's namespace"],
  ["verify-keys-secret", "a Secret in the daemon's namespace"],
  ["forge-secret", "a Secret in the daemon's namespace"],
]);

/**
 * Refuses what no name can be: a path, an address, `namespace/name`.
 * @throws E_USAGE with what to type instead
 */
export function refuseOtherThanNames({ entries }: Settings): void {
  const names = new Set(entries.map(({ option }) => option.name));
  for (const setting of entries) refuseOtherThanName(setting, names);
}

function refuseOtherThanName(setting: Setting, others: ReadonlySet<string>): void {
  const { name } = setting.option;
  const object = objects.get(name);
  const text = setting.origin === "default" ? undefined : setting.value;
  if (object === undefined || typeof text !== "string" || !(text.includes("/") || /^[.~]/u.test(text))) return;
  const [, namespace, rest] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-a-z0-9.]*)$/u.exec(text) ?? [];
  const form = namespace !== undefined ? "namespace/name" : isLocalPath(text) ? "a path" : "an address";
  const isRepository = name === "repository";
  const hints = [
    ...(namespace !== undefined && isRepository ? [`write --namespace ${namespace} --repository ${rest}`] : []),
    ...(namespace !== undefined && object.startsWith("a Secret") ? [`write ${rest}`] : []),
    ...(isRepository && others.has("repo") ? ["a folder or an address is for --repo"] : []),
    ...(isRepository && !others.has("repo") ? ["the default name is `fleet`"] : []),
  ];
  const hint = hints.length === 0 ? "" : `; ${hints.join("; ")}`;
  throw new AppError(
    "E_USAGE",
    `${placeOf(setting)} is the name of ${object}, and ${JSON.stringify(text)} is ${form}${hint}`,
  );
}
