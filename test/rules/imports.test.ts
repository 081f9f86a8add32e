import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

/**
 * Who may import whom, by folder of src/. `x(port)` is the file x/x.ts and nothing else of that folder. What is not
 * listed is forbidden.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  model: ["core"],
  manifests: ["cel", "model", "core"],
  cel: ["core"],
  policy: ["cel", "model", "core"],
  planning: ["policy", "model", "core"],
  http: ["core"],
  git: ["http", "core"],
  forge: ["http", "model", "core"],
  kube: ["http", "model", "core"],
  join: ["kube(port)", "planning", "model", "core"],
  hub: ["kube(port)", "join(port)", "planning", "model", "core"],
  operations: ["kube(port)", "planning", "model", "core"],
  publish: ["kube(port)", "manifests", "planning", "model", "core"],
  adopt: ["kube(port)", "manifests", "planning", "model", "core"],
  agent: [
    "kube(port)",
    "join/rollcall/downstream",
    "join/rollcall/messages.ts",
    "join/rollcall/signed-hub-info.ts",
    "join/rollcall/answers.ts",
    "join/rollcall/agent-values.ts",
    "model",
    "core",
  ],
  review: ["git(port)", "kube(port)", "join(port)", "manifests", "policy", "planning", "model", "core"],
  reconcile: [
    "review",
    "git(port)",
    "forge(port)",
    "kube(port)",
    "join(port)",
    "hub",
    "publish",
    "adopt",
    "manifests",
    "policy",
    "planning",
    "model",
    "core",
  ],
  web: ["model", "core"],
  system: ["http", "core"],
  settings: ["system", "model", "core"],
  bootstrap: ["forge", "git", "model", "core"],
  secrets: ["model", "core"],
  install: ["kube(port)", "kube/kube-errors.ts", "join", "system", "model", "core"],
  "work-tree": ["git", "manifests", "system", "model", "core"],
  recovery: ["git", "kube", "hub", "join", "install", "settings", "system", "manifests", "planning", "model", "core"],
  "agent-process": ["agent", "http", "kube", "system", "model", "core"],
  daemon: [
    "review",
    "reconcile",
    "hub",
    "operations",
    "publish",
    "web",
    "forge",
    "git",
    "http",
    "kube",
    "join",
    "install",
    "secrets",
    "settings",
    "system",
    "manifests",
    "planning",
    "model",
    "core",
  ],
  demo: [
    "daemon",
    "review",
    "install",
    "embedded-hub",
    "embedded-node",
    "git",
    "kube",
    "settings",
    "system",
    "manifests",
    "planning",
    "model",
    "core",
  ],
  "embedded-hub": ["cel", "model", "core"],
  "embedded-node": ["kube", "core"],
};

const effectModules = ["fs", "fs/promises", "net", "tls", "http", "https", "http2", "child_process"];
const effectFolders = [
  "http",
  "git",
  "forge",
  "kube",
  "secrets",
  "embedded-hub",
  "embedded-node",
  "web",
  "agent",
  "agent-process",
  "system",
  "settings",
  "work-tree",
  "recovery",
  "daemon",
  "demo",
  "cli",
];
const pureFolders = ["cel", "model", "manifests", "policy", "planning", "core"];

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.tsx?$/u.test(path) ? [path] : [];
  });
}

function importsOf(file: string): string[] {
  // Whether a text is an address is no matter of the network.
  const text = readFileSync(file, "utf8").replace(/^import \{ isIPv\d(?:, isIPv\d)* \} from "node:net";$/mu, "");
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/gu)].map((match) => match[1] ?? "");
  return specifiers.filter((specifier) => specifier !== "");
}

const files = sourceFiles(root);
const internal: Import[] = files.flatMap((file) =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({
      from: relative(root, file).split(sep).join("/"),
      to: relative(root, resolve(dirname(file), specifier))
        .split(sep)
        .join("/"),
    })),
);

function folderOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : path;
}

/** The folder a file belongs to; generated files belong to the folder they are generated for. */
function homeOf(path: string): string {
  return dirname(path).replace(/\/generated$/u, "");
}

function isAllowed({ from, to }: Import): boolean {
  const source = folderOf(from);
  const target = folderOf(to);
  if (source === "main.ts") return target === "cli" || target === "core";
  if (source === "cli") return true;
  if (source === target) {
    if (source !== "join") return true;
    const [, fromProtocol = ""] = from.split("/");
    const [, toProtocol = ""] = to.split("/");
    return to.split("/").length === 2 || fromProtocol === toProtocol || from.split("/").length === 2;
  }
  return (allowed[source] ?? []).some((entry) => {
    if (entry.endsWith("(port)")) {
      const folder = entry.slice(0, -"(port)".length);
      return to === `${folder}/${folder}.ts`;
    }
    return to === entry || to.startsWith(`${entry}/`);
  });
}

describe("imports", () => {
  it("follow the table of who may import whom", () => {
    expect(internal.filter((edge) => !isAllowed(edge))).toEqual([]);
  });

  it("make no cycle between files", () => {
    expect(findCycle(internal.map(({ from, to }) => [from, to]))).toBeUndefined();
  });

  it("make no cycle between folders", () => {
    const edges = internal.map(({ from, to }): [string, string] => [homeOf(from), homeOf(to)]);
    const topLevel = internal.map(({ from, to }): [string, string] => [folderOf(from), folderOf(to)]);
    expect(findCycle(edges.filter(([from, to]) => from !== to))).toBeUndefined();
    expect(findCycle(topLevel.filter(([from, to]) => from !== to))).toBeUndefined();
  });

  it("touch files, network and processes only in the folders that may", () => {
    const offenders = files
      .map((file) => ({ file: relative(root, file).split(sep).join("/"), modules: importsOf(file) }))
      .filter(({ file }) => !effectFolders.includes(folderOf(file)) && file !== "main.ts")
      .flatMap(({ file, modules }) =>
        modules
          .filter((name) => effectModules.includes(name.replace(/^node:/u, "")))
          .map((name) => `${file} imports ${name}`),
      );
    expect(offenders).toEqual([]);
  });

  it("leave clock, random and environment to cli", () => {
    const forbidden =
      /\b(?:process\.env|Date\.now\(|Math\.random\(|randomBytes\(|randomUUID\(|setTimeout\(|setInterval\()/u;
    const offenders = files
      .map((file) => relative(root, file).split(sep).join("/"))
      .filter((file) => pureFolders.includes(folderOf(file)))
      .filter((file) => forbidden.test(readFileSync(join(root, file), "utf8")));
    // The one home of timers: adapters time what they wait for by it, and the real clock is made of it.
    expect(offenders).toEqual(["core/timer.ts"]);
  });

  it("let the page's browser code have the types of its answers and plain algorithms, and no other code have it", () => {
    const browser = "web/dashboard/browser/";
    const forBrowsers = [
      "model/generated/page-api.ts",
      "model/count-states.ts",
      "core/compare-names.ts",
      "core/count-of.ts",
      "core/duration.ts",
      "core/quantity.ts",
      "core/short-commit.ts",
    ];
    // The filter runs in the browser: what it imports is there too.
    const filter = "model/filter/";
    const forFilters = [...forBrowsers, "core/name-glob.ts", "core/nearest-name.ts"];
    const outward = internal.filter(({ from, to }) => from.startsWith(browser) && !to.startsWith(browser));
    expect(outward.filter(({ to }) => !forBrowsers.includes(to) && !to.startsWith(filter))).toEqual([]);
    const beyond = internal.filter(({ from, to }) => from.startsWith(filter) && !to.startsWith(filter));
    expect(beyond.filter(({ to }) => !forFilters.includes(to))).toEqual([]);
    expect(internal.filter(({ from, to }) => !from.startsWith(browser) && to.startsWith(browser))).toEqual([]);
    const packages = files
      .filter((file) => relative(root, file).split(sep).join("/").startsWith(browser))
      .flatMap(importsOf)
      .filter((specifier) => !specifier.startsWith("."));
    expect([...new Set(packages)].sort()).toEqual(["preact", "preact/hooks", "uplot"]);
  });

  it("have no barrels: no index.ts", () => {
    expect(files.filter((file) => file.endsWith(`${sep}index.ts`))).toEqual([]);
  });
});

/** One cycle of a directed graph as the list of its nodes, or undefined. */
function findCycle(edges: readonly (readonly [string, string])[]): string[] | undefined {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of edges) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const target of targets.get(node) ?? []) {
      const cycle = visit(target, [...path, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of targets.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
  return undefined;
}
