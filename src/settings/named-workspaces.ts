import { isGlob } from "../core/name-glob.ts";
import type { Settings } from "./settings.ts";

/** The workspaces that the settings name in full: what --workspaces has without a wildcard, and the default one. */
export function namedWorkspaces(settings: Pick<Settings, "list" | "text">): readonly string[] {
  const listed = (settings.list("workspaces") ?? []).filter((name) => !isGlob(name));
  const byDefault = settings.text("default-workspace");
  return [...new Set([...listed, ...(byDefault === undefined ? [] : [byDefault])])];
}
