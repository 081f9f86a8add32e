import { describe, expect, it } from "vitest";
import { bootstrap } from "../../../src/bootstrap/bootstrap.ts";
import type { BootstrapOptions, BootstrapStep } from "../../../src/bootstrap/bootstrap-options.ts";

async function stepsOf(options: Partial<BootstrapOptions>, steps: BootstrapStep[] = []): Promise<BootstrapStep[]> {
  const all: BootstrapOptions = {
    url: "ssh://git@git.example.com/fleet.git",
    branch: "main",
    host: undefined,
    access: { kind: "key", knownHosts: "git.example.com ssh-ed25519 AAAA" },
    openGit: () => Promise.reject(new Error("the server does not know the key")),
    files: new Map([["README.md", "fleet\n"]]),
    choices: { namespace: "rollcall-system", workspace: "fleet", hubUrl: undefined, image: undefined },
    folder: { path: "out", read: () => Promise.resolve(undefined), write: () => Promise.resolve(true) },
    nowMs: 0,
    isDryRun: false,
    signal: new AbortController().signal,
    ...options,
  };
  for await (const step of bootstrap(all)) steps.push(step);
  return steps;
}

describe("bootstrap of a repository at a git server that is reached by ssh", () => {
  it("plans all steps in a dry run, and shows no key, whose private part would be lost", async () => {
    const write = (): Promise<boolean> => Promise.reject(new Error("a dry run writes nothing"));
    const folder = { path: "out", read: () => Promise.resolve(undefined), write };
    const steps = await stepsOf({ isDryRun: true, folder });
    expect(steps.map(({ name, state }) => `${state} ${name}`)).toEqual(
      ["secret", "deploy key", "commit", "values"].map((name) => `planned ${name}`),
    );
    expect(JSON.stringify(steps)).not.toContain("ssh-ed25519");
  });

  it("shows the key that is to be added to the server once it is on the disk", async () => {
    const written = new Map<string, string>();
    const folder = {
      path: "out",
      read: (name: string) => Promise.resolve(written.get(name)),
      write: (name: string, text: string) => Promise.resolve(written.set(name, text).has(name)),
    };
    await expect(stepsOf({ folder })).rejects.toThrow("does not know the key");
    const [secret] = written.values();
    expect(secret).toContain("PRIVATE KEY");
    await expect(stepsOf({ folder })).rejects.toThrow("does not know the key");
    expect([...written.values()]).toEqual([secret]);
  });

  it("shows no key when another run wrote its own meanwhile", async () => {
    const shown: BootstrapStep[] = [];
    const folder = { path: "out", read: () => Promise.resolve(undefined), write: () => Promise.resolve(false) };
    await expect(stepsOf({ folder }, shown)).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    expect(shown).toEqual([]);
  });
});
