import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../src/core/version.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

/** The steps of each job of a workflow, or of the named one. */
function stepsOf(path: string, job?: string): Step[] {
  const { jobs } = parse(read(path)) as { readonly jobs: Readonly<Record<string, { readonly steps: Step[] }>> };
  return Object.entries(jobs).flatMap(([name, { steps }]) => (job === undefined || job === name ? steps : []));
}

function scriptsOf(path: string, job?: string): string[] {
  return stepsOf(path, job).flatMap(({ run }) => run ?? []);
}

describe("files for other forges and package managers", () => {
  it("run the same checks on each forge", () => {
    const onGitHub = scriptsOf(".github/workflows/ci.yml");
    expect(onGitHub).toContain("npm test");
    expect(scriptsOf(".forgejo/workflows/ci.yml")).toEqual(onGitHub);
    const { default: all, test } = parse(read(".gitlab-ci.yml")) as {
      readonly default: { readonly before_script: string[] };
      readonly test: { readonly script: string[] };
    };
    expect([all.before_script.at(-1), ...test.script]).toEqual(scriptsOf(".github/workflows/ci.yml", "test"));
  });

  it("run the tests of a control plane on at least three versions of Kubernetes, the oldest and the newest in docs/install.md", () => {
    for (const path of [".github/workflows/ci.yml", ".forgejo/workflows/ci.yml"]) {
      const { jobs } = parse(read(path)) as {
        readonly jobs: {
          readonly kubernetes: { readonly strategy: { readonly matrix: { readonly kubernetes: string[] } } };
        };
      };
      const versions = jobs.kubernetes.strategy.matrix.kubernetes;
      expect(versions.length, path).toBeGreaterThanOrEqual(3);
      expect(read("docs/install.md"), path).toContain(versions.join(", "));
    }
  });

  it("make and sign a release on each forge, with the address of its files", () => {
    for (const path of [".github/workflows/release.yml", ".forgejo/workflows/release.yml", ".gitlab-ci.yml"]) {
      expect(read(path), path).toMatch(/npm run release -- make "\S+" release --url "\$url"/u);
      expect(read(path), path).toMatch(/node scripts\/release\.mjs sign release "\S+"/u);
    }
  });

  it("A46 give the key of releases to no step that runs a package", () => {
    const runs = (script: string) => /\bnp[mx]\b|scripts\/(?!release)/u.test(script);
    for (const path of [".github/workflows/release.yml", ".forgejo/workflows/release.yml"]) {
      const withKey = stepsOf(path).filter((step) => JSON.stringify(step).includes("RELEASE_KEY"));
      expect(
        withKey.map(({ run = "" }) => runs(run)),
        path,
      ).toEqual([false]);
    }
    const { make, sign } = (parse(read(".github/workflows/release.yml")) as { readonly jobs: Record<string, unknown> })
      .jobs;
    expect(JSON.stringify(make)).not.toContain("RELEASE_KEY");
    expect(JSON.stringify(sign)).not.toMatch(/\bnp[mx] /u);
    const onGitLab = (parse(read(".gitlab-ci.yml")) as { readonly sign: Record<string, unknown> }).sign;
    expect(onGitLab).toMatchObject({ before_script: [], environment: "release" });
    expect((onGitLab["script"] as string[]).filter(runs)).toEqual([]);
  });

  it("A46 name what they run by digest", () => {
    const names = ["ci", "release"].flatMap((name) => [
      `.github/workflows/${name}.yml`,
      `.forgejo/workflows/${name}.yml`,
    ]);
    const used = names.flatMap((path) => stepsOf(path).flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThan(7);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/u.test(action))).toEqual([]);
    const [, image] = /^ARG NODE_IMAGE=(\S+)$/mu.exec(read("deploy/Dockerfile")) ?? [];
    expect((parse(read(".gitlab-ci.yml")) as { default: { image: string } }).default.image).toBe(image);
  });

  it("have the version of package.json in both charts", () => {
    const { version: declared } = JSON.parse(read("package.json")) as { readonly version: string };
    expect(declared).toBe(version);
    for (const name of ["rollcall", "rollcall-agent"]) {
      const chart = parse(read(`deploy/charts/${name}/Chart.yaml`)) as Readonly<Record<string, string>>;
      expect([chart["version"], chart["appVersion"]], name).toEqual([version, version]);
    }
  });
});
