import { readAgentValues } from "../agent-values.ts";
import type { AgentValues } from "../agent-values.ts";
import { parseJson } from "../../../core/parse-json.ts";

/** The content of the Secret with the values. */
export type ValuesFinding =
  | { readonly kind: "values"; readonly values: AgentValues }
  /** Never filled, or forgotten after joining. */
  | { readonly kind: "none" }
  /** Half-written or wrong: a text about the first field that is. */
  | { readonly kind: "incomplete"; readonly lack: string };

/** Reads values from JSON text. Undefined or empty text is "none". */
export function readValuesText(text: string | undefined): ValuesFinding {
  if (text === undefined || text.trim() === "") return { kind: "none" };
  const value = parseJson(text);
  if (value === undefined) return { kind: "incomplete", lack: "they are not JSON" };
  const values = readAgentValues(value);
  return "lack" in values ? { kind: "incomplete", lack: values.lack } : { kind: "values", values };
}
