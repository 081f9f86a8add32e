import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createDecrypter } from "../../../src/secrets/decrypt.ts";
import { encryptSops } from "../../../src/secrets/encrypt-sops.ts";
import { realRandom } from "../../support/real-time.ts";

const found = spawnSync("sops", ["--version", "--disable-version-check"], { encoding: "utf8" });
const sopsPath = spawnSync("sh", ["-c", "command -v sops"], { encoding: "utf8" }).stdout.trim();

describe.skipIf(found.status !== 0)("SOPS files and the sops program (needs sops on PATH)", () => {
  let folder: string;
  let identity: string;
  let recipient: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-sops-"));
    identity = await generateX25519Identity();
    recipient = await identityToRecipient(identity);
  });
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  async function sops(name: string, text: string, ...args: string[]): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, text);
    const env = { PATH: process.env.PATH, HOME: folder, SOPS_AGE_KEY: identity };
    const run = spawnSync("sops", [...args, file], { env, encoding: "utf8", cwd: folder });
    if (run.status !== 0) throw new Error(run.stderr);
    return run.stdout;
  }

  const secret = `# a comment
apiVersion: v1
kind: Secret
metadata:
    name: kubeconfig
    namespace: fleet
    annotations:
        "8080": "first"
        date: 2024-01-02
        moment: 2024-01-02T03:04:05.670+02:00
        spaced: 2024-1-2 3:4:5
        old-octal: 0755
        new-octal: 0o755
        hexadecimal: 0xFF
        binary: 0b101
        grouped: 1_000
        float: 1.50
        exponent: 1e3
        tiny: 1e-7
        huge: 1.5e21
        infinite: .inf
        negative: -0
        word: yes
        nothing: null
        empty: ""
        truth: True
        folded: one
            two
stringData:
    # inside
    value: |
        apiVersion: v1
        kind: Config
    empty: ""
    number: 42
    float: 0.10
    flag: false
    none: ~
    list: [a, 1, true, {deep: x}]
    utf8: "gr\\u00fc\\u00dfe \\U0001F600"
    spaces: "  x  "
`;

  it.each([
    { reason: "everything", args: [] },
    { reason: "what a pattern names", args: ["--encrypted-regex", "^(data|stringData)$"] },
    { reason: "all but what a pattern names", args: ["--unencrypted-regex", "^(kind|metadata|apiVersion)$"] },
    { reason: "all but a suffix", args: ["--unencrypted-suffix", "Data"] },
    { reason: "a suffix", args: ["--encrypted-suffix", "Data"] },
  ])("reads YAML of which sops encrypted $reason", async ({ args }) => {
    const encrypted = await sops("in.yaml", secret, "encrypt", "--age", recipient, ...args);
    expect(encrypted).toContain("ENC[AES256_GCM");
    const clear = parse(await sops("out.yaml", encrypted, "decrypt")) as Record<string, unknown>;
    const result = await createDecrypter({ ageKeys: [identity] })({ path: "in.yaml", text: encrypted });
    expect(result.kind === "problem" ? result.problem : undefined).toBeUndefined();
    const [document] = result.kind === "documents" ? result.documents : [];
    expect(document?.["stringData"]).toEqual(clear["stringData"]);
    expect(document?.["kind"]).toBe("Secret");
  });

  it("reads JSON that sops encrypted", async () => {
    const json = JSON.stringify({
      kind: "Secret",
      n: 1.5,
      big: 1e21,
      list: [1, "a", null],
      data: { a: "b", "7": "c" },
    });
    const encrypted = await sops("in.json", json, "encrypt", "--age", recipient);
    const result = await createDecrypter({ ageKeys: [identity] })({ path: "in.json", text: encrypted });
    expect(result).toEqual({ kind: "documents", documents: [JSON.parse(json)] });
  });

  it("reads several documents that sops encrypted as one file", async () => {
    const text = "kind: A\ndata: {x: one}\n---\nkind: B\ndata: {y: two}\n";
    const encrypted = await sops("many.yaml", text, "encrypt", "--age", recipient);
    const decrypt = createDecrypter({ ageKeys: [identity] });
    expect(await decrypt({ path: "many.yaml", text: encrypted })).toEqual({
      kind: "documents",
      documents: [
        { kind: "A", data: { x: "one" } },
        { kind: "B", data: { y: "two" } },
      ],
    });
    const cut = `${encrypted.split("\n---\n")[0]}\n`;
    expect(await decrypt({ path: "many.yaml", text: cut })).toMatchObject({ problem: { code: "E_SOPS_MAC" } });
  });

  it("writes files that sops decrypts, edits and rotates", async () => {
    const document = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "kubeconfig",
        annotations: { "2024-01-02": "2024-01-02", "8080": "007", yes: "no", n: "null" },
      },
      stringData: {
        value: "a: b\n  c: |\n    d\n",
        empty: "",
        count: 3,
        share: 0.5,
        is: true,
        list: ["x"],
        odd: " x\t",
      },
    };
    const text = await encryptSops(document, { recipients: [recipient], random: realRandom, nowMs: Date.now() });
    expect(text).not.toContain("a: b");
    expect(JSON.parse(await sops("ours.yaml", text, "decrypt", "--output-type", "json"))).toEqual(document);
    await sops("ours.yaml", text, "rotate", "--in-place");
    const rotated = await readFile(join(folder, "ours.yaml"), "utf8");
    expect(rotated).not.toBe(text);
    const result = await createDecrypter({ ageKeys: [identity] })({ path: "ours.yaml", text: rotated });
    expect(result).toEqual({ kind: "documents", documents: [document] });
  });

  it("passes files that it cannot open itself to the program", async () => {
    const text = "kind: Secret\nstringData:\n    # encrypt me\n    a: one\n    b: two\n";
    const rules = `creation_rules: [{age: ${recipient}, encrypted_comment_regex: encrypt me}]`;
    await writeFile(join(folder, "rules.yaml"), rules);
    const encrypted = await sops("comments.yaml", text, "--config", join(folder, "rules.yaml"), "encrypt");
    const program = { path: sopsPath, env: { SOPS_AGE_KEY: identity, HOME: folder } };
    const decrypt = createDecrypter({ ageKeys: [identity], program });
    expect(await decrypt({ path: "comments.yaml", text: encrypted })).toEqual({
      kind: "documents",
      documents: [parse(text)],
    });
    const changed = encrypted.replace("b: two", "b: tree");
    expect(await decrypt({ path: "comments.yaml", text: changed })).toMatchObject({
      problem: { code: "E_SOPS_PROGRAM" },
    });
  });
});
