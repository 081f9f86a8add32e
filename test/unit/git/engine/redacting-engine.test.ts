import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { refusingEngine } from "../../../../src/daemon/patient-engine.ts";
import type { CredentialsSource } from "../../../../src/git/wire/credentials.ts";
import { redactingEngine, rememberCredentials } from "../../../../src/git/engine/redacting-engine.ts";

const secret = "s3cret-of-the-repository";
const failing = refusingEngine("https://git.example/fleet", new AppError("E_GIT_AUTH", `no access with ${secret}`));
const engine = redactingEngine(failing, () => [secret]);

const done = Promise.resolve();

/** What an engine does over the network, or with what came over it. */
const calls = Object.keys(failing).filter((name) => name !== "url" && name !== "close");

describe("an error of a git engine", () => {
  it.each(calls)("A35 has no credential in it, whatever was asked: %s", async (name) => {
    const call = (): Promise<unknown> =>
      (engine as unknown as Record<string, () => Promise<unknown>>)[name]?.() ?? done;
    const error: unknown = await call().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "E_GIT_AUTH", message: "no access with ***" });
  });
});

describe("rememberCredentials", () => {
  const proxyOf = (password: string) => ({ proxyUrl: `http://user:${password}@proxy.example.com:8080` });

  /** Reads credentials with these secrets one after the other, and gives what is remembered. */
  async function rememberedOf(secrets: readonly string[], more: object = {}): Promise<readonly string[]> {
    let count = 0;
    const credentials = () => Promise.resolve({ kind: "token" as const, secret: secrets[count++] ?? "" });
    const remembering = rememberCredentials({ credentials, ...more });
    for (const one of secrets) expect(await remembering.options.credentials()).toMatchObject({ secret: one });
    return remembering.secrets();
  }

  it.each([
    [["a"], ["a"]],
    [
      ["a", "a", "", "b"],
      ["a", "b"],
    ],
    [
      ["a", "b", "c", "d", "e", "f"],
      ["a", "b", "c", "d", "e", "f"],
    ],
    [
      ["a", "b", "c", "d", "e", "f", "g"],
      ["b", "c", "d", "e", "f", "g"],
    ],
    [
      ["a", "b", "c", "d", "e", "f", "a", "g"],
      ["c", "d", "e", "f", "a", "g"],
    ],
  ])("A35 has the last six secrets that were read: of %j %j", async (secrets, remembered) => {
    expect(await rememberedOf(secrets)).toEqual(remembered);
  });

  it("A35 has the password of a proxy, however often another secret was replaced", async () => {
    expect(await rememberedOf(["a", "b", "c", "d", "e", "f", "g"], proxyOf("of-proxy"))).toEqual([
      ...["of-proxy", "b", "c", "d", "e", "f", "g"],
    ]);
  });

  it("A35 has the password of each proxy that a route names", async () => {
    const routes = [proxyOf("one"), {}, proxyOf("two"), proxyOf("one")];
    const { options, secrets } = rememberCredentials({ route: () => Promise.resolve(routes.shift() ?? {}) });
    expect(await options.route()).toEqual(proxyOf("one"));
    for (const _time of [1, 2, 3]) await options.route();
    expect(secrets()).toEqual(["two", "one"]);
  });

  it("A35 has a secret that is given as it is once it is read, and passes on that there is none", async () => {
    const given = { kind: "token", secret: "given" } as const;
    const { options, secrets } = rememberCredentials<{ readonly credentials: CredentialsSource; readonly url: string }>(
      {
        credentials: given,
        url: "https://a",
      },
    );
    expect(secrets()).toEqual([]);
    expect(typeof options.credentials === "function" && (await options.credentials())).toEqual(given);
    expect([secrets(), options.url]).toEqual([["given"], "https://a"]);
    const none = rememberCredentials({ credentials: () => Promise.resolve(undefined) });
    expect([await none.options.credentials(), none.secrets()]).toEqual([undefined, []]);
    expect(Object.keys(rememberCredentials({}).options)).toEqual([]);
  });
});
