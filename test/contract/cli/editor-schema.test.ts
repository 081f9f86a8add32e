import { readFile, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { runInit } from "../../../src/cli/commands/init.ts";
import { cloneWorkTree } from "../../../src/demo/clone-work-tree.ts";
import { openFleetRepository } from "../../../src/demo/up-fleet-repository.ts";
import { fileSchemas } from "../../../src/model/generated/schemas.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { LanguageServer } from "../../support/language-server.ts";
import { startLanguageServer } from "../../support/language-server.ts";
import { runCommand } from "../../support/plain-context.ts";

const examples = resolve(import.meta.dirname, "../../../examples-repo");
const kinds = Object.keys(fileSchemas);

const repositories = [
  {
    command: "rollcall init",
    kindsOfFiles: ["Cluster", "ClusterRegistrationToken"],
    make: async (path: string) => void (await runCommand("init", runInit, { args: [path] })),
  },
  {
    command: "rollcall up",
    kindsOfFiles: kinds,
    make: async (path: string) => {
      const repository = await openFleetRepository(`${path}.git`, examples);
      await repository.git.close();
      expect(await cloneWorkTree(repository.path, path, process.env)).toEqual({ isThere: true });
    },
  },
];

/** The text of a file, with the place of its `|`, which is not part of it. */
function textOf(kind: string, rest: string): { text: string; place: { line: number; character: number } } {
  const marked = `# yaml-language-server: $schema=../.vscode/rollcall.schema.json
apiVersion: rollcall.dev/v1alpha1
kind: ${kind}
${rest}`;
  const before = marked.slice(0, marked.indexOf("|")).split("\n");
  return {
    text: marked.replace("|", ""),
    place: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
  };
}

/** The schema of each field of a kind's spec. */
function fieldsOf(kind: string): Readonly<Record<string, { readonly description: string }>> {
  const schema: unknown = Object.entries(fileSchemas).find(([name]) => name === kind)?.[1];
  return (schema as { properties: { spec: { properties: ReturnType<typeof fieldsOf> } } }).properties.spec.properties;
}

describe.each(repositories)(
  "yaml-language-server, without a network, in the repository of $command",
  ({ make, kindsOfFiles }) => {
    let folder: Awaited<ReturnType<typeof makeTempFolder>>;
    let work = "";
    let editor: LanguageServer;
    beforeAll(async () => {
      folder = await makeTempFolder();
      work = join(folder.path, "work");
      await make(work);
      const settings: unknown = JSON.parse(await readFile(join(work, ".vscode/settings.json"), "utf8"));
      editor = await startLanguageServer(work, settings as Record<string, unknown>);
    });
    afterAll(async () => {
      await editor.stop();
      await folder.remove();
    });

    it("finds nothing wrong in its files, which are of each of the kinds", async () => {
      const seen = new Set<unknown>();
      for (const name of await readdir(work, { recursive: true })) {
        if (!/^[a-z].*\.yaml$/u.test(name)) continue;
        const text = await readFile(join(work, name), "utf8");
        expect(await editor.open(name, text), name).toEqual([]);
        for (const document of parseAllDocuments(text)) seen.add(document.get("kind"));
      }
      expect([...seen].sort()).toEqual(kindsOfFiles);
    });

    it("refuses a field of another kind at its place, and an unknown kind", async () => {
      const { text, place } = textOf("Cluster", "metadata: { name: a, namespace: fleet }\nspec:\n  |ttl: 1h\n");
      const found = await editor.open("clusters/wrong.yaml", text);
      expect(found.map(({ message }) => message)).toEqual(["Property ttl is not allowed."]);
      expect(found[0]?.range.start).toEqual(place);
      const { text: same } = textOf(
        "ClusterRegistrationToken",
        "metadata: { name: a, namespace: fleet }\nspec:\n  ttl: 1h\n",
      );
      expect(await editor.open("tokens/right.yaml", same)).toEqual([]);
      const none = await editor.open("clusters/none.yaml", textOf("Clutser", "metadata: { name: a }\n").text);
      expect(none.map(({ message }) => message)).toEqual([
        `Value is not accepted. Valid values: ${kinds.map((kind) => `"${kind}"`).join(", ")}.`,
      ]);
    });

    it.each(kinds)("offers the fields of %s alone, though other kinds begin with its name", async (kind) => {
      const { text, place } = textOf(kind, "metadata:\n  name: a\nspec:\n  |\n");
      await editor.open(`clusters/new-${kind}.yaml`, text);
      const offered = await editor.complete(`clusters/new-${kind}.yaml`, place);
      // The server's own: a template with every required field.
      const keys = offered.filter((label) => label !== `object(${kind})`);
      expect([...keys].sort()).toEqual(Object.keys(fieldsOf(kind)).sort());
    });

    it("shows what a field means", async () => {
      const { text, place } = textOf("Cluster", "metadata: { name: a, namespace: fleet }\nspec:\n  pau|sed: true\n");
      await editor.open("clusters/hover.yaml", text);
      expect(await editor.hover("clusters/hover.yaml", place)).toContain(fieldsOf("Cluster")["paused"]?.description);
    });

    it("asks for nothing but the catalogue of other projects, which is its own", () => {
      expect(new Set(editor.askedHosts())).toEqual(new Set(["www.schemastore.org"]));
    });
  },
);
