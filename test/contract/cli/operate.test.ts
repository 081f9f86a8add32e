import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runReconcile, runResume, runRevoke, runSuspend } from "../../../src/cli/commands/operate.ts";
import type { PlainContext } from "../../../src/cli/commands/command-context.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { runCommand } from "../../support/plain-context.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";

describe("commands of operators", () => {
  let session: DaemonSession;
  let commands: CommandSession;
  beforeAll(async () => {
    commands = await openCommandSession(
      "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c1}\nspec: {}\n",
    );
    session = commands.session;
  });
  afterAll(() => commands.close());

  const usual = () => ({ kubeconfig: commands.kubeconfig, namespace: session.namespace, repository: "fleet" });
  const run = async (
    name: CommandName,
    command: (context: PlainContext) => Promise<number>,
    ...args: string[]
  ): Promise<string> => {
    return (await runCommand(name, command, { args, options: usual() })).text;
  };

  it("print what happens next, also where the Repository is suspended", async () => {
    const name = `Repository/${session.namespace}/fleet`;
    expect(await run("reconcile", runReconcile)).toMatch(
      new RegExp(
        `^${name} is asked to reconcile \\(request [0-9T:.-]+Z\\)\\. A running daemon handles it at once\\.\n(Commit [0-9a-f]+ is read\\.\n)?Commit [0-9a-f]+ is applied\\.\n$`,
        "u",
      ),
    );
    expect(await run("suspend", runSuspend)).toBe(`${name} is suspended.\n`);
    expect(await run("reconcile", runReconcile)).toContain("It is suspended: nothing happens before rollcall resume.");
    expect(await run("resume", runResume)).toBe(`${name} is resumed.\n`);
  });

  it("start a run, whose request is then in the status of the Repository", async () => {
    const requestOf = (text: string) => /\(request (\S+)\)/u.exec(text)?.[1];
    const options = { ...usual(), wait: false };
    const first = requestOf((await runCommand("reconcile", runReconcile, { options })).text);
    const handled = async (): Promise<unknown> => {
      const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
      return textAt(await session.api.get(ref), "status", "lastHandledRequest");
    };
    await until(handled, (request) => request === first);
    const lookCount = session.lookCount();
    const second = requestOf(await run("reconcile", runReconcile));
    await until(handled, (request) => request === second);
    expect(session.lookCount()).toBeGreaterThan(lookCount);
  });

  it("name the cluster that they suspend and resume", async () => {
    const name = `${session.workspace}/c1`;
    const text = await run("suspend", runSuspend, "c1");
    expect(text).toBe(`Cluster/${name} is suspended until rollcall resume ${name}.\n`);
    expect(await run("resume", runResume, name)).toBe(`Cluster/${name} is resumed.\n`);
  });

  it("reconcile exits with 1 after a run that left the Repository not ready", async () => {
    const reconcile = () => runCommand("reconcile", runReconcile, { options: usual() });
    await session.repository.commit({ files: { "bad.yaml": "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\n" } });
    const { code, text } = await reconcile();
    expect(code, text).toBe(1);
    await session.repository.commit({ files: { "bad.yaml": null } });
    expect((await reconcile()).code).toBe(0);
  });

  it("reconcile ends with a reason when no run ends in time", async () => {
    await session.stopDaemon();
    const failure = runCommand("reconcile", runReconcile, { options: { ...usual(), timeout: "3s" } });
    await expect(failure).rejects.toThrow(/none has ended after 3s$/u);
    const wrong = runCommand("reconcile", runReconcile, { options: { ...usual(), timeout: "soon" } });
    await expect(wrong).rejects.toThrow("--timeout: soon is no duration");
  });

  it("ask a person at a terminal before a revocation and before a suspension of all", async () => {
    const ask = { options: usual(), isTerminal: true };
    const refusal = "nothing was changed; without a question: --yes";
    await expect(runCommand("suspend", runSuspend, { ...ask, stdin: "no\n" })).rejects.toThrow(refusal);
    const revoke = { ...ask, args: ["c1"], options: { kubeconfig: commands.kubeconfig } };
    await expect(runCommand("revoke", runRevoke, revoke)).rejects.toThrow(refusal);
    const yes = await runCommand("suspend", runSuspend, { ...ask, stdin: "yes\n" });
    expect(yes.text).toMatch(/and with it every cluster of its files\? Type yes to continue: .* is suspended\.\n$/u);
    const unasked = await runCommand("revoke", runRevoke, { ...revoke, options: { ...revoke.options, yes: true } });
    expect(unasked.text).toMatch(/^Cluster\/\S+ is revoked\. /u);
    await runCommand("resume", runResume, ask);
  });
});
