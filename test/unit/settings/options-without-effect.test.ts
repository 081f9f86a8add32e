import { describe, expect, it } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { refuseWithoutEffect, warningsWithoutEffect } from "../../../src/settings/options-without-effect.ts";
import { optionTable } from "../../../src/settings/options.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

type Given = Readonly<Record<string, string | boolean>>;

function refusalOf(command: CommandName, given: Given, args: readonly string[] = [], environment = {}): string {
  try {
    refuseWithoutEffect(command, { settings: readSettings(command, { given, environment }), args });
    return "";
  } catch (error) {
    if (error instanceof AppError && error.code === "E_USAGE") return error.message;
    throw error;
  }
}

interface Case {
  readonly command: CommandName;
  /** The option that does nothing beside `beside`, and what gives it an effect. */
  readonly given: Given;
  readonly beside?: Given;
  readonly args?: readonly string[];
  readonly better?: Given;
}

const addresses = {
  folder: ["/srv/fleet.git", "file:///srv/fleet.git", "fleet", "."],
  http: ["http://git.example.com/fleet.git"],
  https: ["https://git.example.com/fleet.git", "HTTPS://git.example.com/fleet.git"],
  ssh: ["ssh://git@git.example.com/fleet.git", "git@git.example.com:fleet.git"],
} as const;
const https: Given = { repo: addresses.https[0] };
const ssh: Given = { repo: addresses.ssh[0] };

/** Both commands that open a repository, with each address of the kinds that do not use the option. */
function gitCases(option: string, kinds: readonly (keyof typeof addresses)[]): readonly Case[] {
  const given: Given = { [option]: "f" };
  const better: Given = kinds.includes("ssh") ? { ...https, "git-token-file": "f" } : ssh;
  return (["run", "plan"] as const).flatMap((command) =>
    kinds.flatMap((kind) => addresses[kind].map((repo): Case => ({ command, given, beside: { repo }, better }))),
  );
}

const cases: readonly Case[] = [
  { command: "suspend", given: { repository: "r" }, args: ["c1"] },
  { command: "resume", given: { namespace: "n" }, args: ["c1"] },
  { command: "status", given: { kubeconfig: "k" }, beside: { server: "https://h" } },
  { command: "status", given: { namespace: "n" }, args: ["c1"] },
  { command: "status", given: { namespace: "n" }, beside: { output: "json" } },
  { command: "status", given: { "server-ca-file": "f" }, better: { server: "https://h" } },
  { command: "plan", given: { "dry-run": false }, beside: { offline: true } },
  { command: "plan", given: { "status-branch": "b" }, better: { offline: true } },
  { command: "plan", given: { branch: "b" }, beside: { commit: "c" } },
  { command: "run", given: { "restore-unsigned": true }, better: { restore: true } },
  { command: "up", given: { "trust-key-file": "f" }, better: { restore: true } },
  { command: "run", given: { "verify-paths": "p" }, better: { "verify-keys-secret": "s" } },
  { command: "run", given: { "sops-origins": "o" }, better: { "sops-program": "p" } },
  { command: "run", given: { "fleet-controllers": "External" }, better: { "serve-fleet": true } },
  { command: "run", given: { "kubefleet-controllers": "External" }, better: { "serve-kubefleet": true } },
  { command: "run", given: { "clusternet-bootstrap-tokens": true }, better: { "serve-clusternet": true } },
  { command: "run", given: { "publish-removal-timeout": "1m" }, better: { "publish-flux": "n" } },
  { command: "run", given: { "publish-argocd-removal": "Unselect" }, better: { "publish-argocd": "n" } },
  { command: "run", given: { "write-back-interval": "1m" }, beside: { "write-back": "None" } },
  {
    command: "run",
    given: { "write-back-branch": "b" },
    beside: { "write-back": "None" },
    better: { restore: true },
  },
  { command: "run", given: { "webhook-secret-file": "f" }, better: { "metrics-address": ":1" } },
  { command: "run", given: { "page-access": "Open" }, better: { "page-address": ":1" } },
  { command: "run", given: { "page-actions": true }, better: { "page-address": ":1" } },
  { command: "run", given: { "page-user-header": "h" }, better: { "page-access": "Proxy", "page-address": ":1" } },
  { command: "run", given: { "forge-api-url": "u" }, better: { forge: "GitLab" } },
  { command: "run", given: { identity: "me" }, beside: { "leader-election": false } },
  { command: "hub", given: { port: "1" }, beside: { "backup-file": "f" } },
  { command: "join", given: { "print-flags": true }, better: { protocol: "clusternet" } },
  { command: "join", given: { "show-secrets": true }, better: { "dry-run": true } },
  { command: "join", given: { context: "c" }, beside: { "dry-run": true } },
  { command: "join", given: { context: "c" }, beside: { "from-hub": "t", "hub-kubeconfig": "k", "install-url": "u" } },
  { command: "join", given: { "install-url": "u" }, better: { "from-hub": "t", "hub-kubeconfig": "k" } },
  { command: "run", given: { "serve-install-manifests": true }, better: { "metrics-address": ":1" } },
  { command: "join", given: { "agent-namespace": "n" }, beside: { protocol: "fleet" } },
  { command: "join", given: { "client-id": "i" }, beside: { protocol: "kubefleet" } },
  { command: "join", given: { label: "a=b" }, beside: { protocol: "kubefleet" } },
  { command: "join", given: { "hub-kubeconfig": "k" }, beside: { values: "v" } },
  { command: "join", given: { "cluster-name": "c" }, beside: { protocol: "clusternet", values: "v" } },
  { command: "version", given: { key: "k" }, better: { verify: true } },
  { command: "version", given: { package: "p" }, better: { verify: true } },
  { command: "import", given: { workspace: "w" }, args: ["fleet"] },
  { command: "run", given: { "git-username": "u" }, beside: https, better: { "git-token-file": "f" } },
  ...gitCases("git-token-file", ["folder", "ssh"]),
  ...gitCases("git-username", ["folder", "ssh"]),
  ...gitCases("git-ca-file", ["folder", "http", "ssh"]),
  ...gitCases("git-ssh-key-file", ["folder", "http", "https"]),
  ...gitCases("git-known-hosts-file", ["folder", "http", "https"]),
];

describe("an option of the command line that does nothing", () => {
  it.each(cases)("is refused: $command $args $beside $given", ({ command, given, beside, args = [], better }) => {
    const [name = ""] = Object.keys(given);
    const refusal = refusalOf(command, { ...beside, ...given }, args);
    expect(refusal).toMatch(new RegExp(`^--(?:no-)?${name} has no effect: .*; leave it out$`, "u"));
    expect(refusalOf(command, { ...given, ...better }, better ? args : [])).toBe("");
    expect(refusalOf(command, { ...beside }, args)).toBe("");
  });

  it("is refused for the folder that plan reads offline, not for the address that a hub may name", () => {
    const given = { "git-ca-file": "f" };
    expect(refusalOf("plan", { ...given, offline: true })).toContain("a folder of this machine");
    expect(refusalOf("plan", given)).toBe("");
  });

  it("is taken from the environment, which other commands read too", () => {
    expect(refusalOf("status", {}, ["c1"], { ROLLCALL_NAMESPACE: "n" })).toBe("");
  });

  it("names options that the command has", () => {
    const wrong = cases.flatMap(({ command, given, beside, better }) =>
      Object.keys({ ...given, ...beside, ...better }).filter(
        (name) => !optionTable.some((option) => option.name === name && option.commands.includes(command)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("is refused before the command does anything", async () => {
    const { signal } = new AbortController();
    const run = runProgram(["suspend", "c1", "--repository", "other"], signal, "0");
    await expect(run).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining("--repository has no effect") as string,
    });
  });
});

describe("an option of the environment or of the file of --config that does nothing", () => {
  interface Sources {
    readonly environment?: Readonly<Record<string, string>>;
    readonly file?: Given;
  }
  const warningsOf = (command: CommandName, { environment = {}, file = {} }: Sources) => {
    const settings = readSettings(command, { given: {}, environment, file });
    return warningsWithoutEffect(command, { settings, args: [] });
  };

  it.each<{ command: CommandName; sources: Sources; warnings: readonly string[] }>([
    {
      command: "run",
      sources: { file: { fleetControllers: "External" } },
      warnings: ["fleetControllers in the file of --config has no effect: it requires --serve-fleet"],
    },
    {
      command: "run",
      sources: { environment: { ROLLCALL_FORGE_SECRET: "s" } },
      warnings: ["ROLLCALL_FORGE_SECRET has no effect: it requires --forge"],
    },
    {
      command: "hub",
      sources: { environment: { ROLLCALL_AUDIT_POLICY_FILE: "f" } },
      warnings: ["ROLLCALL_AUDIT_POLICY_FILE has no effect: it requires --audit-log-file"],
    },
  ])("is named by a warning of $command: $sources", ({ command, sources, warnings }) => {
    expect(warningsOf(command, sources)).toEqual(warnings);
  });

  it.each<{ reason: string; sources: Sources }>([
    { reason: "it has an effect", sources: { file: { serveFleet: true, fleetControllers: "External" } } },
    { reason: "plan may use it", sources: { file: { gitUsername: "bot" } } },
    { reason: "uninstall may use it", sources: { environment: { ROLLCALL_FLEET_CONTROLLERS: "External" } } },
    { reason: "it is not set", sources: {} },
  ])("is not named where $reason", ({ sources }) => {
    expect(warningsOf("run", sources)).toEqual([]);
  });
});
