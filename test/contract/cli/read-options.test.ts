import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBackup } from "../../../src/cli/commands/backup.ts";
import type { CommandContext } from "../../../src/cli/commands/command-context.ts";
import {
  runApproveDeletions,
  runReconcile,
  runResume,
  runRevoke,
  runSuspend,
} from "../../../src/cli/commands/operate.ts";
import { runPlan } from "../../../src/cli/commands/plan.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { optionsWithoutEffect } from "../../../src/settings/options-without-effect.ts";
import { optionTable } from "../../../src/settings/options.ts";
import type { Settings } from "../../../src/settings/settings.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";

const file = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c1}\n";

interface Row {
  readonly command: CommandName;
  readonly run: (context: CommandContext) => Promise<number>;
  /** Arguments and options of each way to use it. */
  readonly ways: readonly { readonly args?: readonly string[]; readonly options?: Record<string, string> }[];
}

const rows: readonly Row[] = [
  { command: "suspend", run: runSuspend, ways: [{}, { args: ["c1"] }] },
  { command: "resume", run: runResume, ways: [{}, { args: ["c1"] }] },
  { command: "reconcile", run: runReconcile, ways: [{}] },
  { command: "revoke", run: runRevoke, ways: [{ args: ["c1"] }] },
  { command: "approve-deletions", run: runApproveDeletions, ways: [{ args: ["0123456789ab", "1"] }] },
  { command: "backup", run: runBackup, ways: [{}] },
  {
    command: "plan",
    run: runPlan,
    ways: [
      {},
      { options: { commit: "main" } },
      { options: { offline: "true" } },
      { options: { offline: "true", base: "main" } },
      { options: { offline: "true", commit: "main", output: "json" } },
    ],
  },
  {
    command: "status",
    run: runStatus,
    ways: [
      {},
      { args: ["c1"] },
      { options: { output: "json" } },
      { options: { server: "https://127.0.0.1:1" } },
      { args: ["c1"], options: { server: "https://127.0.0.1:1" } },
    ],
  },
];

describe("an option of a command that asks the hub", () => {
  let commands: CommandSession;
  beforeAll(async () => {
    commands = await openCommandSession(file);
  });
  afterAll(() => commands.close());

  it.each(rows)("is read by $command, or the command does not take it", async ({ command, run, ways }) => {
    const { session, folder, kubeconfig } = commands;
    for (const { args = [], options = {} } of ways) {
      const read = new Set<string>();
      const all = {
        kubeconfig,
        namespace: session.namespace,
        "output-file": join(folder, "key"),
        repo: session.repository.path,
        "cache-dir": join(folder, "cache"),
        ...options,
      };
      const taken = Object.entries(all).filter(([name]) => isTaken(command, name));
      const plain = readSettings(command, { given: Object.fromEntries(taken), environment: {} });
      const settings = recordReads(plain, read);
      const silent = createWriteStream("/dev/null") as unknown as NodeJS.WriteStream;
      // `config` names the file that the program reads before. Refusals are answers, too: what was read until then counts.
      await run({ settings, args, stdout: silent, stderr: silent, ...nothingElse }).catch(() => undefined);
      const refused = new Set(optionsWithoutEffect(command, { settings: plain, args }).map(({ name }) => name));
      const names = optionTable.filter(({ commands }) => commands.includes(command)).map(({ name }) => name);
      const ignored = names.filter((name) => !read.has(name) && !refused.has(name) && name !== "config");
      expect(ignored, `${command} ${args.join(" ")} ${JSON.stringify(options)}`).toEqual([]);
    }
  });
});

const nothingElse = {
  environment: {},
  readStdin: () => Promise.resolve(""),
  readLine: () => Promise.resolve(""),
  commands: [],
  signal: new AbortController().signal,
};

function isTaken(command: CommandName, name: string): boolean {
  return optionTable.some((entry) => entry.name === name && entry.commands.includes(command));
}

/** Settings that remember which of them were read. */
function recordReads(settings: Settings, read: Set<string>): Settings {
  return new Proxy(settings, {
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        if (typeof args[0] === "string") read.add(args[0]);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}
