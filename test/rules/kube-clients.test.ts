import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

describe("clients of Kubernetes", () => {
  it("A38 are made in two places: for the daemon and the commands, and for the agent", () => {
    expect(filesWith(/\bcreateKubeApi\(\{/u).sort()).toEqual(["agent-process/wire-agent.ts", "daemon/connect-hub.ts"]);
  });

  it("A38 are handed to controllers, which read no credential of the machine", () => {
    const rooms = /^(?:hub|join|reconcile|review|publish|adopt|planning|manifests|policy|model|agent)\//u;
    const imports = /from "[^"]*\/kube\/(?:read-[a-z-]+|undici-transport|https-transport|kube-api)\.ts"/u;
    expect(filesWith(imports).filter((file) => rooms.test(file))).toEqual([]);
  });

  it("A38 are no global state: no module holds one", () => {
    const held = /^(?:export )?(?:const|let) \w*[aA]pi\w* = (?:await )?(?:createKubeApi|apiOf|leanApi)\(/mu;
    expect(filesWith(held)).toEqual([]);
  });
});

/** The options of each watch that a file starts. */
function watchesOf({ file, text }: (typeof sources)[number]): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === "startKubeCache")
      found.push(node.arguments[2]?.getText() ?? "");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe("watches", () => {
  // A daemon that may not list a kind would wait for ever, without a line in its log.
  it("report their failures", () => {
    const starting = sources.filter(({ text }) => text.includes("startKubeCache("));
    const unreported = starting.flatMap((source) =>
      watchesOf(source)
        .filter((options) => !/\bonError\b|\.loggedOptions\(/u.test(options))
        .map(() => source.file),
    );
    expect(starting.flatMap(watchesOf).length).toBeGreaterThan(5);
    expect(unreported).toEqual([]);
  });
});
