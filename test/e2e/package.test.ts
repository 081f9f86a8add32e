import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { PackedPackage } from "../support/npm-package.ts";
import { installPackage, packPackage } from "../support/npm-package.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What a package may have at its top, and how large it may become: docs/install.md has what it is. */
const topNames = ["LICENSE", "README.md", "bin", "dist", "examples-repo", "node_modules", "package.json"];
const mostBytes = 6_000_000;
const mostUnpackedBytes = 24_000_000;

describe("the package that npm pack makes", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let packed: PackedPackage;
  let printed: string;

  /** Runs the installed program in an empty folder, with nothing of this machine but its programs. */
  async function rollcall(...args: string[]): Promise<string> {
    const cwd = join(folder.path, "empty");
    const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
    return (await run(join(folder.path, "prefix/bin/rollcall"), args, { cwd, env })).stdout;
  }

  beforeAll(async () => {
    folder = await makeTempFolder();
    await mkdir(join(folder.path, "empty"));
    packed = await packPackage(folder.path);
    printed = await installPackage(packed.path, folder.path);
  });
  afterAll(() => folder.remove());

  it("has what is needed to run, and nothing else", () => {
    const tops = new Set(packed.files.map((path) => path.split("/")[0]));
    expect([...tops].sort()).toEqual([...topNames].sort());
    const sources = packed.files.filter((path) => /^(?!node_modules\/).*\.(?:map|tsx?)$/u.test(path));
    expect(sources).toEqual(["bin/embedded-hub.d.ts"]);
    expect(packed.files).toEqual(
      expect.arrayContaining([
        "dist/licenses.txt",
        "dist/packages.json",
        "dist/descriptions.json",
        "dist/page/licenses.txt",
        "dist/page/page.js",
        "dist/page/packages.json",
      ]),
    );
    expect(packed.sizeBytes).toBeLessThan(mostBytes);
    expect(packed.unpackedBytes).toBeLessThan(mostUnpackedBytes);
  });

  it("A46 brings exactly the packages that were tested", async () => {
    const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly version?: string }>>;
    };
    const expected = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
    for (const [path, { version }] of expected) {
      const text = await readFile(join(folder.path, "prefix/lib/node_modules/rollcall", path, "package.json"), "utf8");
      expect((JSON.parse(text) as { version: string }).version, path).toBe(version);
    }
    const folders = packed.files.filter((path) => /^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+package\.json$/u.test(path));
    expect(folders).toHaveLength(expected.length);
  });

  it("A46 installs without a registry, and runs no script of its own", () => {
    expect(printed).not.toMatch(/rollcall@.*(?:install|prepare)/u);
  });

  it("can load each of its files, and names no thing by what it is made of", async () => {
    const dist = join(folder.path, "prefix/lib/node_modules/rollcall/dist");
    const names = (await readdir(dist)).filter((name) => name.endsWith(".js") && name !== "main.js");
    // The bundler gave a module and its value the same name once: it could only fail, but only where it was used.
    for (const name of names) {
      expect(await readFile(join(dist, name), "utf8"), name).not.toMatch(/\b(?:const|let) (\w+\$?\w*) = \1\(/u);
    }
    const script = names.map((name) => `await import(${JSON.stringify(join(dist, name))});`).join("\n");
    await run(process.execPath, ["--input-type=module", "--eval", `${script}\nprocess.exit(0);`]);
  });

  it("is a hub for tests of others", async () => {
    const script = join(folder.path, "prefix/lib/try.mjs");
    await writeFile(
      script,
      `import { startHub } from "rollcall/embedded-hub";
const hub = await startHub();
console.log(hub.kubeconfig.includes(hub.url));
await hub.close();`,
    );
    expect((await run(process.execPath, [script], { cwd: join(folder.path, "empty") })).stdout).toBe("true\n");
  });

  it("runs a whole fleet in an empty folder", async () => {
    expect(await rollcall("up", "--clusters", "1", "--exit-when-healthy")).toContain("Every cluster is Ready");
  });

  it("checks files, and runs as an agent", async () => {
    expect(await rollcall("validate", join(root, "examples-repo"))).toContain("no problems");
    expect(await rollcall("agent", "--help")).toContain("Usage: rollcall agent");
  });
});
