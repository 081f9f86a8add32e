import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runReconcile, runResume, runSuspend } from "../../../src/cli/commands/operate.ts";
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

  const run = async (
    name: CommandName,
    command: (context: PlainContext) => Promise<number>,
    ...args: string[]
  ): Promise<string> => {
    const options = { kubeconfig: commands.kubeconfig, namespace: session.namespace, repository: "fleet" };
    return (await runCommand(name, command, { args, options })).text;
  };

  it("say what happens next, also where the Repository is suspended", async () => {
    const name = `Repository/${session.namespace}/fleet`;
    expect(await run("reconcile", runReconcile)).toMatch(
      new RegExp(`^${name} is asked to reconcile \\(request [0-9T:.-]+Z\\)\\. The daemon runs now\\.\n$`, "u"),
    );
    expect(await run("suspend", runSuspend)).toBe(`${name} is suspended.\n`);
    expect(await run("reconcile", runReconcile)).toContain("It is suspended: nothing happens before rollcall resume.");
    expect(await run("resume", runResume)).toBe(`${name} is resumed.\n`);
  });

  it("start a run, whose request stands in the status of the Repository then", async () => {
    const requestOf = (text: string) => /\(request (\S+)\)/u.exec(text)?.[1];
    const first = requestOf(await run("reconcile", runReconcile));
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
    const name = `Cluster/${session.workspace}/c1`;
    expect(await run("suspend", runSuspend, "c1")).toBe(`${name} is suspended until rollcall resume.\n`);
    expect(await run("resume", runResume, "c1")).toBe(`${name} is resumed.\n`);
  });
});
