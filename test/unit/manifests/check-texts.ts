import type { CheckedFleet, FleetContext } from "../../../src/manifests/check-fleet.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { parseText } from "./read-text.ts";

/** The texts of files, by their paths, as a repository. */
export function checkTexts(
  texts: Readonly<Record<string, string>>,
  context: FleetContext = { defaultWorkspace: "fleet" },
): CheckedFleet {
  return checkFleet(
    Object.entries(texts).map(([path, text]) => parseText(text, path)),
    context,
  );
}

/** `file CODE message` of every problem. */
export function messagesOf({ problems }: Pick<CheckedFleet, "problems">): string[] {
  return problems.map(({ file, code, severity, message }) =>
    [file, ...(severity === "warning" ? ["warning"] : []), code, message].join(" "),
  );
}

/** Names of the clusters that are used, with their workspaces. */
export function clustersOf({ fleet }: Pick<CheckedFleet, "fleet">): string[] {
  return fleet.clusters.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
}

export function inWorkspace(text: string, workspace: string): string {
  return text.replace(/^ {2}name: .*$/mu, (line) => `${line}\n  namespace: ${workspace}`);
}

/** A document of another project's kind. */
export function foreignText(apiVersion: string, kind: string, metadata: object, spec: object = {}): string {
  return `${JSON.stringify({ apiVersion, kind, metadata, spec })}\n`;
}
