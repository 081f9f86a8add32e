import { existsSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { AppError } from "../../core/errors.ts";
import { quotedForAll } from "../../core/yaml/quoted-for-all.ts";
import { editorSchemaPath } from "../../manifests/editor-schema.ts";
import { createFileParser } from "../../manifests/parse-file.ts";
import type { PlainContext } from "./command-context.ts";
import { refuseDeclaredToken } from "../../work-tree/declared-documents.ts";
import { localSchemaLine, schemaLine } from "./init-files.ts";
import { refuseOccupied, writeNewFile } from "./write-new-files.ts";
import { checkName, readLabels } from "./read-labels.ts";

/**
 * `rollcall add token NAME`: writes tokens/NAME.yaml into a work tree.
 * @throws E_USAGE when the token is declared already or an option is no value of its field
 */
export async function runAddToken({ settings, args, stdout }: PlainContext): Promise<number> {
  const name = checkName(args[0] ?? "", "the token's name");
  const workspace = checkName(settings.requiredText("workspace"), "--workspace");
  const dir = settings.requiredText("dir");
  const ttl = settings.text("ttl");
  const maxRegistrations = settings.count("max-registrations");
  const clusterLabels = readLabels(settings.list("label") ?? []);
  const text = printDocument(
    {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterRegistrationToken",
      metadata: { name, namespace: workspace },
      spec: {
        ...(ttl === undefined ? {} : { ttl }),
        ...(maxRegistrations === 0 ? {} : { maxRegistrations }),
        clusterNames: settings.list("cluster-names"),
        ...(Object.keys(clusterLabels).length > 0 ? { clusterLabels } : {}),
        agentLabels: settings.list("agent-labels"),
        approval: settings.requiredText("approval"),
      },
    },
    dir,
  );
  const path = `tokens/${name}.yaml`;
  refuseBadText(path, text);
  await refuseDeclaredToken(dir, name, workspace);
  await refuseOccupied(dir, path);
  await writeNewFile(dir, path, text);
  stdout.write(`${join(dir, path)}\n`);
  stdout.write(`Commit and push it; then: rollcall join --from-hub ${workspace}/${name} --hub-kubeconfig FILE\n`);
  return 0;
}

/** A document as a file of the repository; texts that a reader would take for something else, such as yes, in quotes. */
export function printDocument(document: Record<string, unknown>, dir: string): string {
  const line = existsSync(join(dir, editorSchemaPath)) ? localSchemaLine : schemaLine;
  return line + stringify(document, quotedForAll);
}

/** @throws E_USAGE with what the checks of files report of it */
export function refuseBadText(path: string, text: string): void {
  const { problems } = createFileParser()({ path, blobId: "", bytes: new TextEncoder().encode(text) });
  const [problem] = problems.filter(({ severity }) => severity === "error");
  if (!problem) return;
  const fix = problem.fix === undefined ? "" : ` ${problem.fix}`;
  throw new AppError("E_USAGE", `the file would be refused (${problem.code}): ${problem.message}.${fix}`);
}
