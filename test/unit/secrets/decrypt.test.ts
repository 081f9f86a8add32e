import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDecrypter } from "../../../src/secrets/decrypt.ts";
import type { DecryptedFile } from "../../../src/secrets/decrypt.ts";
import { encryptSops } from "../../../src/secrets/encrypt-sops.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { realRandom } from "../../support/real-time.ts";

const golden = (name: string) => readFileSync(join(import.meta.dirname, "golden", name), "utf8");
const ageKeys = [golden("identity.txt")];
const decrypt = createDecrypter({ ageKeys });
const stringData = { value: "apiVersion: v1\nkind: Config\n", port: 6443, empty: "" };

function codeOf(result: DecryptedFile): string {
  return result.kind === "problem" ? result.problem.code : "clear";
}

describe("createDecrypter", () => {
  it("decrypts what sops encrypted, and leaves the rest as it is", async () => {
    const result = await decrypt({ path: "secret.yaml", text: golden("secret.yaml") });
    const annotations = { created: "2024-01-02T00:00:00Z", replicas: 3 };
    const metadata = { name: "kubeconfig", namespace: "fleet", annotations };
    expect(result).toEqual({
      kind: "documents",
      documents: [{ apiVersion: "v1", kind: "Secret", metadata, stringData }],
    });
  });

  it("decrypts files of which everything is encrypted, JSON, and files of several documents", async () => {
    const everything = await decrypt({ path: "a.yaml", text: golden("everything.yaml") });
    expect(everything).toMatchObject({ documents: [{ kind: "Secret", stringData }] });
    const json = { kind: "Secret", data: { b: "1", "7": "2" }, list: [1, 2.5, true, null] };
    expect(await decrypt({ path: "a.json", text: golden("secret.json") })).toEqual({
      kind: "documents",
      documents: [json],
    });
    expect(await decrypt({ path: "a.yaml", text: golden("two-documents.yaml") })).toEqual({
      kind: "documents",
      documents: [
        { kind: "A", data: { x: "one" } },
        { kind: "B", data: { y: "two" } },
      ],
    });
  });

  it("decrypts encrypted documents among others, each by itself", async () => {
    const text = `kind: Cluster\n---\n${golden("secret.yaml")}---\n${golden("everything.yaml")}`;
    const result = await decrypt({ path: "a.yaml", text });
    expect(result).toMatchObject({ documents: [undefined, { stringData }, { stringData }] });
  });

  it("reports nothing of files that are not encrypted", async () => {
    expect(await decrypt({ path: "a.yaml", text: "kind: Cluster\n" })).toEqual({
      kind: "documents",
      documents: [undefined],
    });
    expect(await decrypt({ path: "a.yaml", text: "" })).toEqual({ kind: "documents", documents: [] });
  });

  it.each([
    { reason: "a name", from: "name: kubeconfig", to: "name: other", code: "E_SOPS_MAC" },
    { reason: "a namespace", from: "namespace: fleet", to: "namespace: prod", code: "E_SOPS_MAC" },
    { reason: "a number", from: "replicas: 3", to: "replicas: 4", code: "E_SOPS_MAC" },
    { reason: "an empty value that is filled", from: 'empty: ""', to: "empty: clear", code: "E_SOPS_FORMAT" },
    { reason: "a value that is taken out", from: /\n {4}port: [^\n]*/u, to: "", code: "E_SOPS_MAC" },
    { reason: "a field that is added", from: "kind: Secret", to: "kind: Secret\ntype: Opaque", code: "E_SOPS_MAC" },
    {
      reason: "the order of fields",
      from: "apiVersion: v1\nkind: Secret",
      to: "kind: Secret\napiVersion: v1",
      code: "E_SOPS_MAC",
    },
    { reason: "a key of an encrypted value", from: "    port:", to: "    pork:", code: "E_SOPS_FORMAT" },
    {
      reason: "an encrypted value",
      from: /port: ENC\[AES256_GCM,data:..../u,
      to: "port: ENC[AES256_GCM,data:AAAA",
      code: "E_SOPS_FORMAT",
    },
    { reason: "the type of an encrypted value", from: "type:int]", to: "type:str]", code: "clear" },
    { reason: "the time", from: /lastmodified: "\d{4}/u, to: 'lastmodified: "2020', code: "E_SOPS_FORMAT" },
    { reason: "the rule of what is encrypted", from: "^(data|stringData)$", to: "^data$", code: "E_SOPS_MAC" },
    { reason: "a rule that is no pattern", from: "^(data|stringData)$", to: "(", code: "E_SOPS_FORMAT" },
    { reason: "the checksum, taken out", from: /\n {4}mac: [^\n]*/u, to: "", code: "E_SOPS_FORMAT" },
    {
      reason: "a key that stands twice",
      from: "kind: Secret",
      to: "kind: Secret\nkind: Secret",
      code: "E_SOPS_FORMAT",
    },
    { reason: "an alias", from: "kind: Secret", to: "kind: &k Secret\nother: *k", code: "E_SOPS_FORMAT" },
    { reason: "a tag", from: "kind: Secret", to: "kind: !!binary Secret", code: "E_SOPS_FORMAT" },
    { reason: "very deep nesting", from: "kind: Secret", to: `kind: ${"[".repeat(20_000)}`, code: "E_SOPS_FORMAT" },
    { reason: "something that is no YAML", from: "kind: Secret", to: "kind: [", code: "E_SOPS_FORMAT" },
    {
      reason: "no key for us",
      from: /-----BEGIN[^]*?-----END AGE ENCRYPTED FILE-----/u,
      to: "nothing",
      code: "E_SOPS_KEY",
    },
  ])("notices a change of $reason", async ({ from, to, code }) => {
    const text = golden("secret.yaml");
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    const result = await decrypt({ path: "secret.yaml", text: changed });
    expect(codeOf(result)).toBe(code);
    expect(JSON.stringify(result)).not.toContain('kind: Config\\n","port":6443');
  });

  it("keeps the type that a number had when only its mark was changed", async () => {
    // SOPS does not protect the mark; the checksum counts the digits alone.
    const text = golden("secret.yaml").replace("type:int]", "type:str]");
    expect(await decrypt({ path: "a.yaml", text })).toMatchObject({ documents: [{ stringData: { port: "6443" } }] });
  });

  it("refuses a file whose checksum leaves out name and namespace", async () => {
    const result = await decrypt({ path: "a.yaml", text: golden("mac-only-encrypted.yaml") });
    expect(result).toMatchObject({ problem: { code: "E_SOPS_FORMAT" } });
    expect(result.kind === "problem" && result.problem.message).toContain("mac_only_encrypted");
  });

  it("names whom a file is for when no key opens it, and where it declares it", async () => {
    const other = createDecrypter({ ageKeys: [await generateX25519Identity()] });
    const result = await other({ path: "secrets/a.yaml", text: golden("secret.yaml") });
    expect(result).toMatchObject({
      problem: { code: "E_SOPS_KEY", severity: "error", file: "secrets/a.yaml", line: 14 },
    });
    expect(result.kind === "problem" && result.problem.message).toMatch(/it is for age1[a-z0-9]{58}, and no key/u);
    const nobody = createDecrypter({ ageKeys: [] });
    expect(codeOf(await nobody({ path: "a.yaml", text: golden("secret.yaml") }))).toBe("E_SOPS_KEY");
  });

  it("asks for the program where keys are grouped", async () => {
    const result = await decrypt({ path: "a.yaml", text: golden("key-groups.yaml") });
    expect(result).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
    // One key does not open what several must open together.
    const both = golden("secret.yaml").replace("\nsops:\n", "\nsops:\n    shamir_threshold: 2\n");
    expect(await decrypt({ path: "a.yaml", text: both })).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
  });

  it.each([
    ["one long key above many values", (values: JsonObject) => ({ ["k".repeat(20_000)]: values })],
    [
      "many long keys",
      () => Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}`.padEnd(2000, "k"), "v"])),
    ],
  ])("A108 refuses a pattern that takes long for %s, though the file is for the key here", async (_, bodyOf) => {
    const values = Object.fromEntries([..."abcdefghij"].map((name) => [name, "v"]));
    const recipients = [await identityToRecipient(ageKeys[0]?.split("\n")[1] ?? "")];
    const text = await encryptSops(bodyOf(values), { recipients, random: realRandom, nowMs: 0 });
    const costly = text.replace("^(data|stringData)$", "(([a-z]?){30}){30}[0-9]$");
    expect(codeOf(await decrypt({ path: "a.yaml", text: costly }))).toBe("E_SOPS_FORMAT");
    expect(codeOf(await decrypt({ path: "a.yaml", text }))).toBe("clear");
  });

  it("A35 does not show a damaged identity", () => {
    const damaged = ageKeys.join("").trim().slice(0, -3);
    expect(() => createDecrypter({ ageKeys: [damaged] })).toThrow("a line is no age identity");
    expect(() => createDecrypter({ ageKeys: [damaged] })).not.toThrow(/[A-Z0-9]{20}/u);
  });

  it("never rejects, whatever the text", async () => {
    const text = golden("secret.yaml");
    const property = fc.asyncProperty(
      fc.nat({ max: text.length }),
      fc.string({ maxLength: 5 }),
      async (at, inserted) => {
        expect(["documents", "problem"]).toContain(
          (await decrypt({ path: "a.yaml", text: text.slice(0, at) + inserted })).kind,
        );
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});

describe("encryptSops", () => {
  const recipientsOf = async () => [await identityToRecipient(ageKeys[0]?.split("\n")[1] ?? "")];

  it("writes what can be decrypted again, with every value of it", async () => {
    const document: JsonObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a", annotations: { "8080": "007", "2024-01-02": "2024-01-02", yes: "no", note: "a\nb\n" } },
      data: { value: "aGVsbG8=" },
      stringData: { text: " x: y\n", empty: "", n: 7, f: 0.25, tiny: 1e-9, is: false, list: ["a", 1], none: null },
    };
    const text = await encryptSops(document, {
      recipients: await recipientsOf(),
      random: realRandom,
      nowMs: Date.now(),
    });
    expect(text).not.toMatch(/aGVsbG8|x: y|0\.25/u);
    expect(text).toContain("name: a\n");
    expect(await decrypt({ path: "a.yaml", text })).toEqual({ kind: "documents", documents: [document] });
    const moved = text.replace("name: a\n", "name: b\n");
    expect(codeOf(await decrypt({ path: "a.yaml", text: moved }))).toBe("E_SOPS_MAC");
  });

  it("holds for any document", async () => {
    const recipients = await recipientsOf();
    const leaf = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => {
        if (Object.is(number, -0)) return 0;
        return Number.isInteger(number) && !Number.isSafeInteger(number) ? 0.5 : number;
      }),
    );
    const key = fc.string({ minLength: 1 }).filter((text) => !["sops", "__proto__", "<<"].includes(text));
    const map = fc.dictionary(key, fc.oneof(leaf, fc.array(leaf), fc.dictionary(key, leaf)), { noNullPrototype: true });
    const property = fc.asyncProperty(map, map, async (stringData, metadata) => {
      const document = { kind: "Secret", metadata, stringData };
      const text = await encryptSops(document, { recipients, random: realRandom, nowMs: 1_700_000_000_000 });
      expect(await decrypt({ path: "a.yaml", text })).toEqual({ kind: "documents", documents: [document] });
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it("encrypts for several, any of whom can read it", async () => {
    const [one, two] = [await generateX25519Identity(), await generateX25519Identity()];
    const recipients = [await identityToRecipient(one), await identityToRecipient(two)];
    const text = await encryptSops({ kind: "Secret", data: { a: "b" } }, { recipients, random: realRandom, nowMs: 0 });
    for (const identity of [one, two]) {
      const result = await createDecrypter({ ageKeys: [identity] })({ path: "a.yaml", text });
      expect(result).toMatchObject({ documents: [{ data: { a: "b" } }] });
    }
  });

  it("refuses documents that are encrypted already, and recipients that are none", async () => {
    const options = { random: realRandom, nowMs: 0 };
    await expect(encryptSops({ sops: {} }, { ...options, recipients: await recipientsOf() })).rejects.toMatchObject({
      code: "E_SOPS_FORMAT",
    });
    await expect(encryptSops({ n: 1e300 }, { ...options, recipients: await recipientsOf() })).rejects.toMatchObject({
      code: "E_SOPS_FORMAT",
    });
    await expect(encryptSops({}, { ...options, recipients: [] })).rejects.toMatchObject({ code: "E_SOPS_KEY" });
    await expect(encryptSops({}, { ...options, recipients: ["age1x"] })).rejects.toMatchObject({ code: "E_SOPS_KEY" });
  });
});

describe("the sops program", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-sops-test-"));
  });
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  /** A stand-in for sops that runs a line of shell. */
  async function program(line: string): Promise<{ path: string; env: Record<string, string> }> {
    const path = join(folder, `sops-${Math.random()}`);
    await writeFile(path, `#!/bin/sh\n${line}\n`);
    await chmod(path, 0o700);
    return { path, env: { TOKEN: "t0ken", PATH: "/usr/bin:/bin" } };
  }

  async function run(
    line: string,
    text = golden("key-groups.yaml"),
    more: { allowedOrigins?: string[]; timeoutMs?: number } = {},
  ) {
    const decrypter = createDecrypter({ ageKeys, program: { ...(await program(line)), ...more }, tempDir: folder });
    return decrypter({ path: "a.yaml", text });
  }

  const withVault = (address: string) =>
    golden("secret.yaml")
      .replace("\nsops:\n", `\nsops:\n    hc_vault:\n        - vault_address: "${address}"\n          enc: x\n`)
      .replace(/-----BEGIN[^]*?FILE-----\n {10}/u, "x\n          ");

  it("reads its output, and gives it nothing but the file and its own environment", async () => {
    const log = join(folder, "log");
    const result = await run(
      `for last; do :; done; env > ${log}; echo "$@" >> ${log}; stat -c %a "$last" >> ${log}; grep -c shamir "$last" >> ${log}; echo 'kind: Secret'`,
    );
    expect(result).toEqual({ kind: "documents", documents: [{ kind: "Secret" }] });
    const logged = await readFile(log, "utf8");
    expect(logged).toContain("TOKEN=t0ken");
    expect(logged).not.toContain("HOME=");
    expect(logged).toMatch(/--decrypt --input-type yaml --output-type yaml \S+file\.yaml\n600\n1\n$/u);
    expect((await readdir(folder)).filter((name) => name.startsWith("rollcall-sops-"))).toEqual([]);
  });

  it.each([
    { reason: "fails", line: "echo secret >&2; exit 3", message: "it ended with 3" },
    { reason: "is killed", line: "kill -9 $$", message: "it was stopped" },
    { reason: "prints without end", line: "yes", message: "it was stopped" },
    { reason: "does not end", line: "exec sleep 60", message: "it did not end within 200 ms" },
  ])("is refused when it $reason", async ({ line, message }) => {
    const more = line.includes("sleep") ? { timeoutMs: 200 } : {};
    const result = await run(line, undefined, more);
    expect(result).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
    expect(result.kind === "problem" && result.problem.message).toContain(message);
    expect(JSON.stringify(result)).not.toContain("secret>");
  });

  it("is not waited for when a process that it started keeps its output open", async () => {
    const pidFile = join(folder, "left-behind");
    const line = `sleep 600 & echo $! > ${pidFile}; echo 'kind: Secret'`;
    try {
      expect(await run(line, undefined, { timeoutMs: 300 })).toMatchObject({ documents: [{ kind: "Secret" }] });
    } finally {
      process.kill(Number(await readFile(pidFile, "utf8")));
    }
  });

  it("is refused when it cannot be started", async () => {
    const decrypter = createDecrypter({ ageKeys, program: { path: join(folder, "none"), env: {} }, tempDir: folder });
    const result = await decrypter({ path: "a.yaml", text: golden("key-groups.yaml") });
    expect(result).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
  });

  it.each([
    ["nothing", "exit 0"],
    ["more than there is", "printf 'kind: Secret\\n---\\nkind: Secret\\n'"],
  ])("is not believed when it prints %s: an empty document would empty the Secret on the hub", async (_, line) => {
    expect(await run(line)).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
  });

  it("A30 does not get a file that names an address of its own choice for our credentials", async () => {
    const mark = join(folder, "was-called");
    const evil = await run(`touch ${mark}`, withVault("https://evil.example.com/v1"), {
      allowedOrigins: ["https://vault.example.com"],
    });
    expect(evil).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
    expect(evil.kind === "problem" && evil.problem.message).toContain('"https://evil.example.com"');
    await expect(readFile(mark)).rejects.toThrow();
    const good = await run("echo 'kind: Secret'", withVault("https://vault.example.com/v1"), {
      allowedOrigins: ["https://vault.example.com"],
    });
    expect(good).toEqual({ kind: "documents", documents: [{ kind: "Secret" }] });
  });

  const evilKeys = [
    ["hc_vault", "vault_address: https://evil.example.com"],
    ["hc_vault", "vault_address: https://vault.example.com.evil.example.com"],
    ["hc_vault", "vault_address: https://vault.example.com:8443"],
    ["azure_kv", "vault_url: https://evil.example.com"],
    ["kms", 'arn: "arn:aws:kms:x.evil.example.com/#:1:key/a"'],
    ["hckms", "key_id: evil.example.com/a:b"],
  ] as const;

  it.each(
    evilKeys.flatMap(([kind, key]) => [
      { place: "a key", key, sops: `    ${kind}:\n        - ${key}\n` },
      { place: "a group of keys", key, sops: `    key_groups:\n        - ${kind}:\n            - ${key}\n` },
    ]),
  )("A30 does not get a file in which $place has $key", async ({ sops }) => {
    const mark = join(folder, "was-called-for-a-key");
    const text = golden("secret.yaml").replace("\nsops:\n", `\nsops:\n${sops}`);
    const result = await run(
      `touch ${mark}; echo 'kind: Secret'`,
      text.replace(/-----BEGIN[^]*?FILE-----\n {10}/u, "x\n          "),
      {
        allowedOrigins: ["https://vault.example.com"],
      },
    );
    expect(result).toMatchObject({ problem: { code: "E_SOPS_PROGRAM" } });
    expect(result.kind === "problem" && result.problem.message).toContain("not one of the allowed origins");
    await expect(readFile(mark)).rejects.toThrow();
  });

  it.each([
    { reason: "a region that is an address", kms: 'arn: "arn:aws:kms:x.evil.example.com/#:1:key/a"', isRun: false },
    {
      reason: "a role that is none",
      kms: 'arn: "arn:aws:kms:eu-west-1:1:key/a"\n          role: "evil"',
      isRun: false,
    },
    {
      reason: "a key and a role",
      kms: 'arn: "arn:aws-us-gov:kms:us-gov-west-1:12:alias/a"\n          role: "arn:aws:iam::12:role/a"',
      isRun: true,
    },
  ])("A30 gets a file with $reason for AWS: $isRun", async ({ kms, isRun }) => {
    const text = withVault("x").replace(/hc_vault:\n {8}- vault_address: "x"/u, `kms:\n        - ${kms}`);
    const result = await run("echo 'kind: Secret'", text);
    expect(result.kind).toBe(isRun ? "documents" : "problem");
  });

  it("stops with its signal", async () => {
    const decrypter = createDecrypter({ ageKeys, program: await program("exec sleep 60"), tempDir: folder });
    const abort = new AbortController();
    const running = decrypter({ path: "a.yaml", text: golden("key-groups.yaml") }, abort.signal);
    abort.abort(new Error("stopped by the test"));
    await expect(running).rejects.toThrow("stopped by the test");
  });
});
