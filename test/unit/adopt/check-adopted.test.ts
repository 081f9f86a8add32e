import { describe, expect, it } from "vitest";
import type { AdoptedFile } from "../../../src/adopt/adopt-source.ts";
import { checkAdopted } from "../../../src/adopt/check-adopted.ts";

function file(path: string, lines: readonly string[]): AdoptedFile {
  return { path, object: `Object/${path}`, text: `${lines.join("\n")}\n` };
}

function cluster(namespace: string | undefined, name: string, ...more: string[]): AdoptedFile {
  const place = namespace === undefined ? [] : [`  namespace: ${namespace}`];
  const head = ["apiVersion: rollcall.dev/v1alpha1", "kind: Cluster", "metadata:", `  name: ${name}`, ...place];
  return file(`clusters/${namespace ?? "fleet"}/${name}.yaml`, [...head, ...more]);
}

const check = (...files: AdoptedFile[]) => checkAdopted(files, { defaultWorkspace: "fleet" });

describe("checkAdopted", () => {
  it("gives sound files in the order of their paths, and their workspaces in the order of the alphabet", () => {
    const { files, refusals, workspaces } = check(
      cluster("west", "b"),
      cluster("east", "c"),
      cluster(undefined, "a"),
      cluster("east", "a"),
    );
    expect(files.map(({ path }) => path)).toEqual([
      "clusters/east/a.yaml",
      "clusters/east/c.yaml",
      "clusters/fleet/a.yaml",
      "clusters/west/b.yaml",
    ]);
    expect([refusals, workspaces]).toEqual([[], ["east", "fleet", "west"]]);
  });

  it("refuses a file by its first error, with the fix, and names no workspace for it alone", () => {
    const broken = cluster("west", "b", "spec:", "  protocol: none", "  unknown: 1");
    const { files, refusals, workspaces } = check(broken, cluster("east", "a"));
    expect(files.map(({ path }) => path)).toEqual(["clusters/east/a.yaml"]);
    expect(refusals).toEqual([
      {
        object: broken.object,
        reason: expect.stringMatching(/^its file would be refused \(E_SCHEMA\): spec\.protocol: /u) as string,
        fix: expect.stringMatching(/\S/u) as string,
      },
    ]);
    expect(workspaces).toEqual(["east"]);
  });

  it("refuses no file for a warning", () => {
    const warned = file("groups/fleet/all.yaml", [
      "apiVersion: rollcall.dev/v1alpha1",
      "kind: ClusterGroup",
      "metadata: { name: all, namespace: fleet }",
      "spec: { selector: {} }",
    ]);
    const { files, refusals } = check(warned);
    expect([files, refusals]).toEqual([[warned], []]);
  });
});
