import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/digest.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { GitReader } from "../../../src/git/git.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { checksumLine, signStatus } from "../../../src/planning/status-signature.ts";
import { readRestorableRecords } from "../../../src/recovery/restore-records.ts";
import type { HubKey } from "../../../src/recovery/restore-trust-key.ts";
import { makeTrustKey } from "../../support/trust-key.ts";

const pem = makeTrustKey();
const publicKey = createPublicKey(createPrivateKey(pem));
const hubId = "sha256:hub";
const textOfKey = (key: string) =>
  createPublicKey(createPrivateKey(key)).export({ type: "spki", format: "der" }).toString("base64");

type Files = Readonly<Record<string, string>>;
const record = (kind: string, name: string, more: object = {}): string =>
  toYamlFile({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace: "fleet", name }, ...more }).content;
const cluster = { "clusters/fleet/a.yaml": record("ClusterRecord", "a") };
const token = { "tokens/fleet/t.yaml": record("TokenRecord", "t", { uses: 2 }) };

/** The files of a status commit that the hub signed, in epoch 3. */
function signed(files: Files, by = pem, claims: object = {}): Files {
  const checksums = Object.entries(files)
    .map(([path, text]) => checksumLine(path, sha256Hex(text)))
    .join("");
  const seal = {
    hub: hubId,
    repository: "rollcall.fleet",
    epoch: 3,
    parent: undefined,
    digest: sha256Hex(checksums),
    ...claims,
  };
  const signature = signStatus(seal, (payload) => sign(null, payload, createPrivateKey(by)));
  return { ...files, SHA256SUMS: checksums, "signature.yaml": toYamlFile(signature).content };
}

interface Branch {
  /** Of the oldest commit. */
  readonly files: Files;
  /** Of the head, where it is another commit. */
  readonly head?: Files;
  readonly isUnsignedAccepted?: boolean;
  readonly key?: Partial<HubKey>;
  /** Paths that are links. */
  readonly links?: readonly string[];
  /** Paths of files that are larger than any record. */
  readonly large?: readonly string[];
}

async function read({ files, head, isUnsignedAccepted = false, key = {}, links = [], large = [] }: Branch) {
  const trees: Readonly<Record<string, Files>> = { c1: files, ...(head ? { c2: head } : {}) };
  const git = {
    readCommit: async (id: string) => ({ id, parents: id === "c1" ? [] : ["c1"] }),
    listFiles: async (id: string, paths?: readonly string[]) =>
      Object.keys(trees[id] ?? {})
        .filter((path) => paths === undefined || paths.includes(path))
        .map((path) => ({ path, mode: links.includes(path) ? "link" : "file", blobId: `${id} ${path}` })),
    changedPaths: async (from = "", to: string) =>
      Object.entries(trees[to] ?? {}).flatMap(([path, text]) => (trees[from]?.[path] === text ? [] : [{ path }])),
    readBlob: async (blobId: string) => {
      const [id = "", path = ""] = blobId.split(" ");
      if (large.includes(path)) throw new AppError("E_FILE_TOO_LARGE", "too large");
      return Buffer.from(trees[id]?.[path] ?? "");
    },
  } as unknown as GitReader;
  const warnings: (readonly [string, unknown])[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message: string, fields?: LogFields) => void warnings.push([message, fields?.["path"]]),
  };
  const own = {
    pem,
    publicKey,
    earlierKeys: [],
    hubId,
    publicText: textOfKey(pem),
    epoch: 1,
    isOnHub: true,
    place: "the Secret",
  };
  const { clusters, tokens, epoch, isSigned } = await readRestorableRecords({
    git,
    branch: "rollcall/status",
    head: head ? "c2" : "c1",
    key: { ...own, ...key },
    repository: "rollcall.fleet",
    isUnsignedAccepted,
    log,
  });
  const names = [...clusters, ...tokens].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return { names, epoch, isSigned, warnings };
}

const changed = "a file of the status branch was changed after the hub signed it; the signed one is used";
const missing = "a record that the hub signed is missing from the status branch";

describe("readRestorableRecords", () => {
  it("has the records that the hub signed, and their epoch", async () => {
    const files = { ...signed({ ...cluster, ...token, "summary.yaml": "a: b" }), "README.md": "x" };
    expect(await read({ files })).toEqual({
      names: ["ClusterRecord a", "TokenRecord t"],
      epoch: 3,
      isSigned: true,
      warnings: [],
    });
  });

  it("takes the signed commit below that of another author, and names each file that the other one changed", async () => {
    const files = signed(cluster);
    const head = { ...files, "clusters/fleet/a.yaml": record("ClusterRecord", "a", { clientID: "evil" }), ...token };
    const { names, warnings } = await read({ files, head });
    expect(names).toEqual(["ClusterRecord a"]);
    expect(warnings).toEqual([
      [changed, "clusters/fleet/a.yaml"],
      [changed, "tokens/fleet/t.yaml"],
    ]);
  });

  it("leaves out a record that is not the signed one, and names one that is missing", async () => {
    const files = signed({ ...cluster, ...token, "summary.yaml": "a: b" });
    const { "tokens/fleet/t.yaml": _token, "summary.yaml": _summary, ...others } = files;
    const forged = { ...others, "clusters/fleet/b.yaml": record("ClusterRecord", "b") };
    const { names, warnings } = await read({ files: forged });
    expect(names).toEqual(["ClusterRecord a"]);
    expect(warnings).toEqual([
      ["a record of the status branch is not the one that the hub signed; it is left out", "clusters/fleet/b.yaml"],
      [missing, "tokens/fleet/t.yaml"],
    ]);
  });

  it("takes a record that is a link, or larger than any, for no signed one", async () => {
    const files = signed({ ...cluster, ...token });
    const { names, warnings } = await read({ files, links: ["tokens/fleet/t.yaml"], large: ["clusters/fleet/a.yaml"] });
    expect(names).toEqual([]);
    expect(warnings.map(([, path]) => path)).toEqual(["clusters/fleet/a.yaml", "tokens/fleet/t.yaml"]);
  });

  it("accepts what an earlier key signed, and logs that", async () => {
    const earlier = makeTrustKey();
    const key = { earlierKeys: [createPublicKey(createPrivateKey(earlier))] };
    const { names, warnings } = await read({ files: signed(cluster, earlier), key });
    expect(names).toEqual(["ClusterRecord a"]);
    expect(warnings[0]?.[0]).toContain("signed by an earlier one");
  });

  it.each([
    ["of another name", { "clusters/fleet/b.yaml": record("ClusterRecord", "a") }],
    ["of another kind", { "clusters/fleet/a.yaml": record("TokenRecord", "a") }],
    ["that is none", { "clusters/fleet/a.yaml": "- a" }],
    ["without a name", { "clusters/fleet/a.yaml": "kind: ClusterRecord" }],
    ["that is two", { "clusters/fleet/a.yaml": `${record("ClusterRecord", "a")}---\n${record("ClusterRecord", "b")}` }],
  ])("refuses a signed record %s, rather than to restore a part", async (_, files) => {
    await expect(read({ files: signed(files) })).rejects.toMatchObject({ code: "E_READ" });
  });

  it.each([
    { what: "is not signed", files: cluster, code: "E_UNVERIFIED", says: "no commit of it is signed by the hub" },
    {
      what: "is signed by another key",
      files: signed(cluster, makeTrustKey()),
      code: "E_UNVERIFIED",
      says: "no commit of it has a signature that fits",
    },
    {
      what: "is of another Repository",
      files: signed(cluster, pem, { repository: "x.y" }),
      code: "E_UNVERIFIED",
      says: "another Repository of this hub wrote it",
    },
    {
      what: "is of another hub",
      files: signed(cluster, pem, { hub: "x" }),
      code: "E_HUB_INFO",
      says: "the Secret is not the trust key",
    },
  ])("refuses a branch that $what", async ({ files, code, says }) => {
    await expect(read({ files })).rejects.toMatchObject({ code, message: expect.stringContaining(says) as string });
  });

  describe("of a branch that is not signed, where the user accepts that", () => {
    const isUnsignedAccepted = true;
    const summary = (hub: object) => ({
      "summary.yaml": toYamlFile({ kind: "FleetSummary", metadata: { name: "fleet" }, hub }).content,
    });
    const own = { trustKey: textOfKey(pem), epoch: 4 };

    it("are those of its head, with the epoch of its summary", async () => {
      const files = { ...cluster, ...token, ...summary(own) };
      const { names, epoch, isSigned, warnings } = await read({ files, isUnsignedAccepted });
      expect([names, epoch, isSigned]).toEqual([["ClusterRecord a", "TokenRecord t"], 4, false]);
      expect(warnings[0]?.[0]).toContain("the status branch is not signed");
      expect((await read({ files: summary({ trustKey: own.trustKey }), isUnsignedAccepted })).epoch).toBe(1);
    });

    it("are no longer accepted once something on the branch was signed", async () => {
      const files = signed(cluster, makeTrustKey());
      await expect(read({ files, isUnsignedAccepted })).rejects.toMatchObject({ code: "E_UNVERIFIED" });
    });

    it.each([
      ["has no summary", {}, "E_READ"],
      ["is of another hub", summary({ ...own, trustKey: textOfKey(makeTrustKey()) }), "E_HUB_INFO"],
      ["has an epoch that no hub can have", summary({ ...own, epoch: 0 }), "E_READ"],
    ] as const)("are refused where the branch %s", async (_, files, code) => {
      await expect(read({ files: { ...cluster, ...files }, isUnsignedAccepted })).rejects.toMatchObject({ code });
    });
  });
});
