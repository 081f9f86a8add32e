import { describe, expect, it } from "vitest";
import { readAdvertisement, refListLimits } from "../../../../src/git/wire/remote-refs.ts";
import { encodePacket } from "../../../../src/git/wire/pkt-line.ts";
import { scriptedGitServer } from "../../../support/scripted-git-server.ts";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
const sha256 = "3".repeat(64);
const service = "# service=git-upload-pack\n";
const capabilities = (...names: string[]) => new Set(names);

describe("readAdvertisement", () => {
  it.each([
    [
      "version 1",
      [service, "0000", `${one} HEAD\0 side-band-64k ofs-delta \n`, `${two} refs/heads/a b\n`, "0000"],
      {
        ...{ version: 1, format: "sha1", capabilities: capabilities("side-band-64k", "ofs-delta") },
        refs: new Map([
          ["HEAD", one],
          ["refs/heads/a b", two],
        ]),
      },
    ],
    [
      "version 1 without its first line, which names its version and a shallow commit",
      ["version 1\n", `${sha256} refs/heads/main\0object-format=sha256\n`, `shallow ${one}\n`, "0000"],
      {
        ...{ version: 1, format: "sha256", capabilities: capabilities("object-format=sha256") },
        refs: new Map([["refs/heads/main", sha256]]),
      },
    ],
    [
      "an empty repository",
      [service, "0000", `${"0".repeat(40)} capabilities^{}\0report-status\n`, "0000"],
      { version: 1, format: "sha1", capabilities: capabilities("report-status"), refs: new Map() },
    ],
    [
      "version 2",
      [service, "0000", "version 2\n", "ls-refs\n", "object-format=sha256\n", "0000"],
      { version: 2, format: "sha256", capabilities: capabilities("ls-refs", "object-format=sha256"), refs: new Map() },
    ],
  ])("reads %s", async (_what, lines, advertisement) => {
    expect(await readAdvertisement(scriptedGitServer(lines).transport, "git-upload-pack")).toEqual(advertisement);
  });

  it.each([
    ["an answer without an end", [service, "0000", `${one} HEAD\0\n`], "ends early"],
    ["an answer that ends behind its first line", [service, "0000"], "ends early"],
    ["nothing", [], "ends early"],
    ["an id that is too short", [`${one.slice(1)} HEAD\n`, "0000"], "no ref where one is expected"],
    ["an id that is too long", [`${one}1 HEAD\n`, "0000"], "no ref where one is expected"],
    ["text before an id", [`x${one} HEAD\n`, "0000"], "no ref where one is expected"],
    ["an id without a ref", [`${one} \n`, "0000"], "no ref where one is expected"],
    ["a line in two", [`${one} a\n${two} b\n`, "0000"], "no ref where one is expected"],
  ])("refuses %s", async (_what, lines, message) => {
    await expect(readAdvertisement(scriptedGitServer(lines).transport, "git-upload-pack")).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining(message) as unknown,
    });
  });

  it("gives the text of a server that refuses, without secrets", async () => {
    const lines = [service, "0000", "ERR no s3cret-password here\n", "0000"];
    const failed = readAdvertisement(scriptedGitServer(lines).transport, "git-upload-pack");
    await expect(failed).rejects.toMatchObject({ code: "E_GIT_REMOTE", data: { isServerText: true } });
    await expect(failed).rejects.toThrow(/the server reports: no \S+ here$/u);
    await expect(failed).rejects.not.toThrow(/ERR|s3cret/u);
  });

  it.each([
    ["git-upload-pack", true],
    ["git-receive-pack", false],
  ] as const)("asks %s for its refs; offers version 2: %s", async (name, isVersion2) => {
    const { transport, requests } = scriptedGitServer(["0000"], ["0000"]);
    const { signal } = new AbortController();
    await readAdvertisement(transport, name);
    await readAdvertisement(transport, name, signal);
    const request = { service: name, isVersion2, maximumBytes: refListLimits.bytes };
    expect(requests).toEqual([request, { ...request, signal }]);
  });

  it("takes as many packets as a list may have, and refuses one more", async () => {
    const listOf = (count: number) => Buffer.concat([encodePacket(`${one} a`), Buffer.alloc(4 * (count - 1), "0000")]);
    const most = refListLimits.lines;
    expect((await readAdvertisement(scriptedGitServer(listOf(most)).transport, "git-upload-pack")).refs.size).toBe(1);
    const further = readAdvertisement(scriptedGitServer(listOf(most + 1)).transport, "git-upload-pack");
    await expect(further).rejects.toMatchObject({ code: "E_UNSUPPORTED", data: { maximumLines: most } });
  });
});
