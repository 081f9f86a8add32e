import type { JsonObject } from "../core/json.ts";
import { labelKeys } from "./well-known.ts";

/** Selects the namespaces that the daemon finds as its workspaces: the value of the label does not matter. */
export const workspaceSelector: JsonObject = {
  matchExpressions: [{ key: labelKeys.workspace, operator: "Exists" }],
};
