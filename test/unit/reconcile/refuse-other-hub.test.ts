import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitReader } from "../../../src/git/git.ts";
import { signStatus } from "../../../src/planning/status-signature.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { refuseOtherHub } from "../../../src/reconcile/refuse-other-hub.ts";

const [mine, theirs] = [`sha256:${"a".repeat(64)}`, `sha256:${"b".repeat(64)}`];
const head = "c".repeat(40);

/** A signature.yaml of this hub, by no key at all: none is checked. */
function signatureOf(hub: string): string {
  const sealed = { hub, repository: "system.fleet", epoch: 1, parent: undefined, digest: "" };
  return toYamlFile(signStatus(sealed, () => Buffer.alloc(64))).content;
}

async function refuse(
  signature: string | undefined,
  { adopted, mode = "file" as const }: Given = {},
): Promise<unknown> {
  const git: Partial<GitReader> = {
    readBlob: (_id, { maximumBytes = Infinity } = {}) => {
      const bytes = Buffer.from(signature ?? "");
      if (bytes.length > maximumBytes) return Promise.reject(new AppError("E_FILE_TOO_LARGE", "read"));
      return Promise.resolve(bytes);
    },
  };
  const files = [
    { path: "README.md", blobId: "1", mode: "file" as const },
    ...(signature === undefined ? [] : [{ path: "signature.yaml", blobId: "2", mode }]),
  ];
  const found = { branch: "rollcall/status", head, committedAtMs: 1_800_000_000_000, files };
  return refuseOtherHub(git as GitReader, found, { hubId: mine, repository: "system.fleet", adopted }).catch(
    (error: unknown) => error,
  );
}

interface Given {
  readonly adopted?: string;
  readonly mode?: "file" | "link";
}

describe("refuseOtherHub", () => {
  it.each([
    { reason: "this hub's, whatever key signed it", signature: signatureOf(mine) },
    { reason: "of a version that did not sign", signature: undefined },
    { reason: "of a person who wrote text there", signature: "hello" },
    { reason: "of a person who wrote broken YAML there", signature: "{" },
    { reason: "of a person who wrote a long text there", signature: "x".repeat(5000) },
    { reason: "of no id of a hub", signature: signatureOf("\u001b[31mme") },
    { reason: "a link", signature: signatureOf(theirs), mode: "link" as const },
    { reason: "another hub's, and taken over at this commit", signature: signatureOf(theirs), adopted: head },
  ])("lets a branch be written whose signature is $reason", async ({ signature, ...given }) => {
    expect(await refuse(signature, given)).toBeUndefined();
  });

  it.each([
    { reason: "nobody took it over", adopted: undefined },
    { reason: "it was taken over at an earlier commit", adopted: "d".repeat(40) },
  ])("leaves a branch to the other hub that its signature names if $reason", async ({ adopted }) => {
    const error = await refuse(signatureOf(theirs), adopted === undefined ? {} : { adopted });
    expect(error).toMatchObject({
      code: "E_OWNED_ELSEWHERE",
      message: `write branch rollcall/status: at its head ${head} of 2027-01-15T08:00:00Z it belongs to hub ${theirs}, and this hub is ${mine}`,
      remedy: `Give this hub a branch of its own in spec.writeBack.branch (--write-back-branch). If the other hub no longer exists, take the branch over at this commit: kubectl annotate repository.rollcall.dev/fleet --namespace system --overwrite rollcall.dev/adopt=${head}`,
    });
  });
});
