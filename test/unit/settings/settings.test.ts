import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfigFile } from "../../../src/settings/config-file.ts";
import { optionTable } from "../../../src/settings/options.ts";
import { renderConfig } from "../../../src/settings/print-config.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-settings-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileWith(text: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, "settings.yaml");
  await writeFile(path, text);
  return readConfigFile(path);
}

describe("readSettings", () => {
  it("takes the command line before the environment before the file before the default", async () => {
    const settings = readSettings("run", {
      given: { branch: "flag" },
      environment: { ROLLCALL_BRANCH: "environment", ROLLCALL_INTERVAL: "2s" },
      file: await fileWith("branch: file\ninterval: 3s\nhubUrl: https://hub:6443\nworkspaces: [a, b]\nonce: true\n"),
    });
    expect(settings.text("branch")).toBe("flag");
    expect(settings.text("interval")).toBe("2s");
    expect(settings.text("hub-url")).toBe("https://hub:6443");
    expect(settings.list("workspaces")).toEqual(["a", "b"]);
    expect(settings.isOn("once")).toBe(true);
    expect(settings.text("repository")).toBe("fleet");
    expect(settings.text("hub-ca-file")).toBeUndefined();
  });

  it.each(optionTable.filter(({ kind }) => kind === "count"))(
    "reports which numbers --$name takes, before the command does anything",
    ({ name, value, commands: [command = "up"] }) => {
      const read = (given: string) => readSettings(command, { given: { [name]: given }, environment: {} });
      const largest = value === "port" ? 65_535 : 999_999_999;
      expect(read(String(largest)).count(name)).toBe(largest);
      for (const wrong of ["-1", "1.5", "x", String(largest + 1)])
        expect(() => read(wrong)).toThrow(`--${name} is no whole number from 0 to ${largest}: ${wrong}`);
    },
  );

  it("takes an empty variable for none, which switches off nothing that the file declares", async () => {
    const file = await fileWith("branch: file\nverifyKeysSecret: signers\nonce: true\nworkspaces: [a]\n");
    const names = ["BRANCH", "VERIFY_KEYS_SECRET", "ONCE", "WORKSPACES", "WRITE_BACK", "NAMESPACE"];
    const environment = Object.fromEntries(names.map((name) => [`ROLLCALL_${name}`, ""]));
    const settings = readSettings("run", { given: {}, environment, file });
    const without = readSettings("run", { given: {}, environment: {}, file });
    expect(settings.entries).toEqual(without.entries);
    expect(settings.text("verify-keys-secret")).toBe("signers");
    const hub = readSettings("hub", { given: {}, environment: { ROLLCALL_AUDIT_LOG_MAX_SIZE: "" } });
    expect(hub.count("audit-log-max-size")).toBe(100);
    const emptied = readSettings("run", { given: { "verify-keys-secret": "" }, environment: {}, file });
    expect(emptied.text("verify-keys-secret")).toBeUndefined();
  });

  it("lets plan read the file of run", async () => {
    const file = await fileWith("repo: https://git.example.com/fleet.git\nwriteBack: None\n");
    expect(readSettings("plan", { given: {}, environment: {}, file }).text("repo")).toContain("fleet.git");
  });

  it.each([
    ["brnch: main", "brnch, which is no setting (did you mean branch?)"],
    ["config: other.yaml", "config, which is no setting"],
    ["branch: 1.20", "branch in the file of --config is not text: write 1.2 in quotes"],
    ["workspaces: [a, 1]", "workspaces in the file of --config is not a list of texts"],
    ["once: maybe", "once in the file of --config is neither true nor false"],
    ["writeBack: branch", "writeBack in the file of --config is branch; it can be Branch, None (did you mean Branch?)"],
  ])("refuses %s", async (text, message) => {
    const file = await fileWith(text);
    expect(() => readSettings("run", { given: {}, environment: {}, file })).toThrow(message);
  });
});

describe("readConfigFile", () => {
  it.each([
    ["- a", "it is not a map of settings"],
    ["repo: a\nrepo: b", "a key occurs twice"],
    ["repo: !!js/function x", "it is not valid YAML"],
    [`repo: ${"[".repeat(20_000)}`, "line 1: values are nested more than 64 levels deep"],
  ])("refuses %j with the file's name", async (text, message) => {
    await expect(fileWith(text)).rejects.toThrow(message);
    await expect(fileWith(text)).rejects.toThrow("settings.yaml");
  });

  it("takes an empty file for no settings", async () => {
    expect(await fileWith("# nothing yet\n")).toEqual({});
  });
});

describe("renderConfig", () => {
  it("is a file that declares the same again, and names where each setting came from", async () => {
    const settings = readSettings("run", {
      given: { repo: "https://git.example.com/a: #b.git", workspaces: "x,y" },
      environment: { ROLLCALL_INTERVAL: "2s", ROLLCALL_LEADER_ELECTION: "false" },
      file: { branch: "1.20" },
    });
    const text = renderConfig(settings);
    expect(text).toContain("interval: 2s # ROLLCALL_INTERVAL\n");
    expect(text).toContain('branch: "1.20" # file\n');
    expect(text).toContain("leaderElection: false # ROLLCALL_LEADER_ELECTION\n");
    expect(text).toContain("repository: fleet # default\n");
    expect(text).toContain("# gitTokenFile:\n");
    const again = readSettings("run", { given: {}, environment: {}, file: await fileWith(text) });
    const valuesOf = ({ entries }: typeof again) => entries.map(({ option, value }) => [option.name, value]);
    expect(valuesOf(again)).toEqual(valuesOf(settings));
  });

  it.each([
    ["https://me:geheim@git.example.com/fleet.git", "https://git.example.com/fleet.git"],
    ["https://geheim@git.example.com/fleet.git", "https://git.example.com/fleet.git"],
    ["ssh://git:geheim@git.example.com/fleet.git", "ssh://git@git.example.com/fleet.git"],
  ])("leaves out the credentials of the address %s", (repo, shown) => {
    const text = renderConfig(readSettings("run", { given: { repo }, environment: {} }));
    expect(text).toContain(`repo: ${shown} # --repo`);
    expect(text).not.toContain("geheim");
  });
});
