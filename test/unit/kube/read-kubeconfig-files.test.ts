import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { readKubeconfigFiles } from "../../../src/kube/read-kubeconfig-files.ts";

describe("readKubeconfigFiles", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-kubeconfigs-"));
    await mkdir(join(folder, "work"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, config: object): Promise<string> => {
    await writeFile(join(folder, name), stringify(config));
    return join(folder, name);
  };

  it("reports why a kubeconfig cannot be read", async () => {
    const none = join(folder, "none");
    await expect(readKubeconfigFiles(none)).rejects.toThrow(`read ${none}: it is not there`);
    await expect(readKubeconfigFiles(folder)).rejects.toThrow(`read ${folder}: it is a folder`);
  });

  it("names the encoding of a kubeconfig that a shell of Windows wrote", async () => {
    const path = join(folder, "utf16");
    await writeFile(path, Buffer.from(`\ufeffapiVersion: v1\r\nkind: Config\r\n`, "utf16le"));
    await expect(readKubeconfigFiles(path).then(({ text }) => readKubeconfig(text))).rejects.toThrow(
      "cannot be used: it is UTF-16 text or no text: save it as UTF-8",
    );
  });

  it("lets the first file with a name or a current-context decide", async () => {
    const home = await write("home", {
      clusters: [{ name: "hub", cluster: { server: "https://home.example" } }],
      users: [{ name: "me", user: { token: "home" } }],
    });
    const work = await write("work/config", {
      "current-context": "work",
      clusters: [
        { name: "hub", cluster: { server: "https://work.example" } },
        { name: "edge", cluster: { server: "https://edge.example" } },
      ],
      contexts: [{ name: "work", context: { cluster: "hub", user: "me" } }],
    });
    const last = await write("last", { "current-context": "last" });
    const { text } = await readKubeconfigFiles([home, "", join(folder, "none"), work, last].join(":"));
    expect(JSON.parse(text)).toEqual({
      clusters: [
        { name: "hub", cluster: { server: "https://home.example" } },
        { name: "edge", cluster: { server: "https://edge.example" } },
      ],
      users: [{ name: "me", user: { token: "home" } }],
      contexts: [{ name: "work", context: { cluster: "hub", user: "me" } }],
      "current-context": "work",
    });
  });

  it("counts paths from the file they are in, and leaves programs of PATH alone", async () => {
    const home = await write("home", {});
    const work = await write("work/config", {
      clusters: [{ name: "hub", cluster: { "certificate-authority": "pki/ca.crt" } }],
      users: [
        { name: "file", user: { "client-certificate": "/etc/me.crt", "client-key": "./me.key", tokenFile: "token" } },
        { name: "near", user: { exec: { command: "./login" } } },
        { name: "path", user: { exec: { command: "aws" } } },
      ],
    });
    const { text, path } = await readKubeconfigFiles(`${home}:${work}`);
    expect(path).toBe(home);
    const at = (name: string) => join(folder, "work", name);
    expect(JSON.parse(text)).toMatchObject({
      clusters: [{ cluster: { "certificate-authority": at("pki/ca.crt") } }],
      users: [
        { user: { "client-certificate": "/etc/me.crt", "client-key": at("me.key"), tokenFile: at("token") } },
        { user: { exec: { command: at("login") } } },
        { user: { exec: { command: "aws" } } },
      ],
    });
  });

  it("refuses a list of which no file is there, and one with a file that is no kubeconfig", async () => {
    const list = `${join(folder, "one")}:${join(folder, "two")}`;
    await expect(readKubeconfigFiles(list)).rejects.toMatchObject({ code: "E_KUBECONFIG" });
    const good = await write("good", {});
    const other = await write("other", { kind: "Pod" });
    await expect(readKubeconfigFiles(`${good}:${other}`)).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message: `${other} cannot be used: its kind is not Config`,
    });
  });
});
