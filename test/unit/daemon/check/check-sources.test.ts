import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkFiles, checkForge, checkRepository, checkSecrets } from "../../../../src/daemon/check/check-sources.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { RepositorySpec } from "../../../../src/model/generated/repository.ts";
import type { ObjectRef } from "../../../../src/model/kubernetes.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import type { TestRepository } from "../../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";

const { signal } = new AbortController();
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let remote: TestRepository;
let head: string;
beforeAll(async () => {
  folder = await makeTempFolder();
  remote = await createRepository(fileOf("fleet.git"));
  head = await remote.commit({ files: { "a.yaml": "" } });
  for (const branch of ["b1", "b2", "b3", "b4", "b5", "b6"]) await remote.commit({ branch, from: head, files: {} });
  await createRepository(fileOf("empty.git"));
  await writeFile(fileOf("token"), "secret");
  await writeFile(fileOf("program"), "#!/bin/sh\n", { mode: 0o755 });
});
afterAll(() => folder.remove());

const fileOf = (name: string): string => join(folder.path, name);
const settingsOf = (given: Readonly<Record<string, string>>) =>
  readSettings("check", { given: { "cache-dir": fileOf("cache"), ...given }, environment: {} });
const repositoryOf = (spec: RepositorySpec) => ({
  apiVersion: "rollcall.dev/v1alpha1" as const,
  kind: "Repository" as const,
  metadata: { namespace: "rollcall-system", name: "fleet" },
  spec,
});
const encode = (text: string) => Buffer.from(text).toString("base64");

/** A hub with these Secrets in the daemon's namespace; the names that it was asked for. */
function hubWith(secrets: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const asked: string[] = [];
  const get = async ({ namespace, name }: ObjectRef) => {
    asked.push(`${namespace}/${name}`);
    const data = secrets[name];
    return data && { metadata: { name, uid: "u", resourceVersion: "1" }, data };
  };
  return { asked, hubApi: { get } as unknown as KubeApi };
}

describe("checkFiles", () => {
  it("names the files that options name, and the program", async () => {
    expect(await checkFiles(settingsOf({}))).toEqual({ message: "no option names a file" });
    const [token, program] = [fileOf("token"), fileOf("program")];
    expect(await checkFiles(settingsOf({ "git-token-file": token }))).toEqual({ message: token });
    expect(await checkFiles(settingsOf({ "sops-program": program }))).toEqual({ message: program });
    const both = { "git-token-file": token, "git-ca-file": token, "sops-program": program };
    expect(await checkFiles(settingsOf(both))).toEqual({ message: `${token}, ${token}, ${program}` });
  });

  it("does not read the settings file again", async () => {
    expect(await checkFiles(settingsOf({ config: fileOf("lost") }))).toEqual({ message: "no option names a file" });
  });

  it("fails at a file that cannot be read, and at a program that cannot be run", async () => {
    await expect(checkFiles(settingsOf({ "git-ca-file": fileOf("lost") }))).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining("it is not there") as string,
    });
    const program = fileOf("token");
    await expect(checkFiles(settingsOf({ "sops-program": program }))).rejects.toMatchObject({
      code: "E_USAGE",
      message: `--sops-program: ${program} is no program that this user may run`,
    });
  });
});

describe("checkSecrets", () => {
  it("reads each Secret that an option names, in the daemon's namespace", async () => {
    const { asked, hubApi } = hubWith({ keys: {}, signers: {}, forge: {} });
    expect(await checkSecrets(hubApi, settingsOf({}))).toEqual({ message: "no option names a Secret" });
    const named = { "age-key-secret": "keys", "verify-keys-secret": "signers", "forge-secret": "forge" };
    const found = await checkSecrets(hubApi, settingsOf({ ...named, namespace: "here" }));
    expect(found).toEqual({ message: "keys, signers, forge" });
    expect(asked).toEqual(["here/keys", "here/signers", "here/forge"]);
  });

  it("fails at one that is not there", async () => {
    const check = checkSecrets(hubWith({}).hubApi, settingsOf({ "forge-secret": "lost" }));
    await expect(check).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });
});

describe("checkRepository", () => {
  const check = (spec: RepositorySpec, given: Readonly<Record<string, string>> = {}, hubApi?: KubeApi) =>
    checkRepository(settingsOf(given), {}, { repository: repositoryOf(spec), hubApi, signal });

  it("names the commit of the branch of the Repository, or else of the option", async () => {
    const url = remote.path;
    expect(await check({ url })).toEqual({ message: `${url} answers, branch main is at ${head.slice(0, 12)}` });
    expect(await check({ url }, { branch: "b1" })).toMatchObject({
      message: expect.stringContaining("branch b1 is at") as string,
    });
    const found = await check({ url, ref: { branch: "b2" } }, { branch: "b1" });
    expect(found).toMatchObject({ message: expect.stringContaining("branch b2 is at") as string });
  });

  it("fails without the branch, and names a few others", async () => {
    const remedy = "Push the branch, or name another with --branch.";
    const url = remote.path;
    expect(await check({ url, ref: { branch: "prod" } })).toEqual({
      state: "failed",
      message: `${url} answers, and has no branch prod (it has b1, b2, b3, b4, b5 and 2 more)`,
      remedy,
    });
    expect(await check({ url: fileOf("empty.git") })).toEqual({
      state: "failed",
      message: `${fileOf("empty.git")} answers, and has no branch main`,
      remedy,
    });
  });

  it("uses the Secret of the Repository where the hub can be asked for it", async () => {
    const url = "https://127.0.0.1:1/fleet.git";
    const { asked, hubApi } = hubWith({});
    const withSecret = { url, secretRef: { name: "git" } };
    await expect(check(withSecret, {}, hubApi)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
    expect(asked).toContain("rollcall-system/git");
    await expect(check(withSecret)).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });
});

describe("checkForge", () => {
  let server: Server;
  let apiURL: string;
  let status = 200;
  const asked: (readonly [string | undefined, string | undefined])[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      response.writeHead(status, { "content-type": "application/json" }).end("[]");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    apiURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  });
  afterAll(() => void server.close().closeAllConnections());
  beforeEach(() => {
    status = 200;
    asked.length = 0;
  });

  const url = "https://git.example.com/team/fleet.git";
  const check = (spec: Partial<RepositorySpec>, given: Readonly<Record<string, string>> = {}) => {
    const { hubApi } = hubWith({ forge: { token: encode("of-secret") } });
    const settings = settingsOf(given);
    return checkForge(hubApi, repositoryOf({ url, ...spec }), { settings, environment: {}, signal });
  };
  const forge = () => ({ provider: "Gitea" as const, apiURL });

  it("is content without a forge, and without a token for it", async () => {
    expect(await check({})).toBe("no forge is named");
    expect(await check({ forge: forge() })).toBe("no forge is named");
    expect(asked).toEqual([]);
  });

  it.each([
    { ref: undefined, base: "main" },
    { ref: { branch: "prod" }, base: "prod" },
  ])("asks with the token of the Secret for the pull requests of $base", async ({ ref, base }) => {
    const spec = { forge: { ...forge(), secretRef: { name: "forge" } }, ...(ref ? { ref } : {}) };
    expect(await check(spec)).toBe("Gitea answers for team/fleet");
    expect(asked).toMatchObject([[expect.stringContaining("/repos/team/fleet/pulls") as string, "token of-secret"]]);
    expect(asked[0]?.[0]).toContain(base);
  });

  it("uses the token of --git-token-file without a Secret, which no other host gets", async () => {
    const failed = check({ forge: forge() }, { "git-token-file": fileOf("token") });
    await expect(failed).rejects.toMatchObject({ code: "E_FORGE_URL" });
    expect(asked).toEqual([]);
  });

  it("fails with a token that the forge refuses", async () => {
    status = 401;
    const failed = check({ forge: { ...forge(), secretRef: { name: "forge" } } });
    await expect(failed).rejects.toMatchObject({ code: "E_FORGE_AUTH" });
  });
});
