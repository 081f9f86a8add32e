import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openIgnoreRules } from "../../../../src/git/local/ignore-rules.ts";
import { makeTempFolder, runGit } from "../../../support/git-repositories.ts";

let folder: { path: string; remove: () => Promise<void> };
let dir: string;

beforeEach(async () => {
  folder = await makeTempFolder();
  dir = join(folder.path, "tree");
  await runGit(folder.path, ["init", "-q", "-b", "main", dir]);
});
afterEach(() => folder.remove());

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** As a walk asks: about each folder from the root on, and about the file if none is ignored. */
function isLeftOut(rules: ReturnType<typeof openIgnoreRules>, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, index) => rules.ignores(parts.slice(0, index + 1).join("/"), index < parts.length - 1));
}

describe("openIgnoreRules", () => {
  it("leaves out what git leaves out: the nearest file decides, then those above it, then info/exclude", async () => {
    const paths = [
      ...["a.yaml", "private.yaml", "kept.yaml", "build/a.yaml", "src/build/a.yaml", "src/kept.yaml", "src/log/a.yaml"],
      ...[
        "src/deep/a.tmp",
        "src/deep/b.tmp",
        "src/only/a.yaml",
        "other/only/a.yaml",
        "vendor/x/a.yaml",
        "vendor/x/b.yaml",
      ],
    ];
    write({
      ...Object.fromEntries(paths.map((path) => [path, ""])),
      ".gitignore": "/build/\n*.tmp\nkept.yaml\nsrc/only\nvendor/*/a.yaml\n",
      "src/.gitignore": "!kept.yaml\r\nlog/\n",
      "src/deep/.gitignore": "!b.tmp\n",
      ".git/info/exclude": "private.yaml\n",
    });
    const untracked = await runGit(dir, ["ls-files", "--others", "--exclude-standard"]);
    const rules = openIgnoreRules(dir, join(dir, ".git"), []);
    expect(paths.filter((path) => !isLeftOut(rules, path)).sort()).toEqual(
      untracked
        .split("\n")
        .filter((path) => path !== "" && !path.endsWith(".gitignore"))
        .sort(),
    );
  });

  it("keeps what git tracks, and the folders above it", () => {
    write({ ".gitignore": "clusters/\n" });
    const rules = openIgnoreRules(dir, join(dir, ".git"), ["clusters/old/a.yaml", "clusters/old/b.yaml"]);
    expect(isLeftOut(rules, "clusters/old/a.yaml")).toBe(false);
    expect(isLeftOut(rules, "clusters/old/c.yaml")).toBe(true);
    expect(openIgnoreRules(dir, join(dir, ".git"), []).ignores("clusters", true)).toBe(true);
  });

  it("reads no patterns through a link, as git", () => {
    write({ "../patterns": "*.yaml\n" });
    symlinkSync("../patterns", join(dir, ".gitignore"));
    expect(openIgnoreRules(dir, join(dir, ".git"), []).ignores("a.yaml", false)).toBe(false);
  });
});
