import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Random } from "../../core/clock.ts";
import type { IssueOptions, KeyPair } from "./authority.ts";
import { readPrivateText, writePrivateText } from "./private-files.ts";

export interface HubCertificates {
  readonly authority: KeyPair;
  readonly serving: KeyPair;
  /** A member of system:masters. */
  readonly admin: KeyPair;
}

export interface HubCertificatesOptions {
  readonly dir: string;
  /** Names and addresses that clients dial; localhost and 127.0.0.1 are always among them. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
  readonly random: Random;
}

/** Issued anew when less than this is left. */
const renewBeforeMs = 30 * 86_400_000;
const ownHosts = ["localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/**
 * The certificates of a hub, kept in a folder. The CA is made once; leaves are made anew before they expire, when the clock is
 * before them, or when the hosts changed. Signing code is loaded only when something is to be signed: most starts sign nothing.
 */
export async function loadHubCertificates(options: HubCertificatesOptions): Promise<HubCertificates> {
  const { dir, nowMs, random } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const issue: IssueOptions = { nowMs, random };
  const hosts = [...new Set([...ownHosts, ...options.hosts])];
  const authority =
    (await readPair(dir, "ca")) ?? (await save(dir, "ca", await (await signing()).createAuthority(issue)));
  const isCurrent = ({ certPem, keyPem }: KeyPair): boolean => {
    const certificate = new X509Certificate(certPem);
    return (
      certificate.checkIssued(new X509Certificate(authority.certPem)) &&
      certificate.checkPrivateKey(createPrivateKey(keyPem)) &&
      Date.parse(certificate.validTo) - nowMs > renewBeforeMs &&
      // It is of a start with a clock that was ahead.
      Date.parse(certificate.validFrom) <= nowMs
    );
  };
  const storedServing = await readPair(dir, "serving");
  const serving =
    storedServing !== undefined && isCurrent(storedServing) && coversHosts(storedServing, hosts)
      ? storedServing
      : await save(dir, "serving", await (await signing()).issueServing(authority, hosts, issue));
  const storedAdmin = await readPair(dir, "admin");
  const admin =
    storedAdmin !== undefined && isCurrent(storedAdmin)
      ? storedAdmin
      : await save(
          dir,
          "admin",
          await (await signing()).issueClient(authority, { user: "admin", groups: ["system:masters"] }, issue),
        );
  return { authority, serving, admin };
}

/** Loaded only when something is to be signed. */
const signing = () => import("./authority.ts");

function coversHosts(pair: KeyPair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(pair.certPem);
  return hosts.every((host) =>
    isIP(host) === 0 ? certificate.checkHost(host) !== undefined : certificate.checkIP(host) !== undefined,
  );
}

async function readPair(dir: string, name: string): Promise<KeyPair | undefined> {
  const [certPem, keyPem] = await Promise.all([
    readPrivateText(join(dir, `${name}.crt`)),
    readPrivateText(join(dir, `${name}.key`)),
  ]);
  return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem };
}

/** The key is written first: an existing certificate has a key, if not always its own. */
async function save(dir: string, name: string, pair: KeyPair): Promise<KeyPair> {
  await writePrivateText(join(dir, `${name}.key`), pair.keyPem);
  await writePrivateText(join(dir, `${name}.crt`), pair.certPem);
  return pair;
}
