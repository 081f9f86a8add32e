import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { makeUploadPack } from "../../../../src/git/wire/upload-pack.ts";
import type { ScriptedAnswer } from "../../../support/scripted-git-server.ts";
import { onBand, scriptedGitServer } from "../../../support/scripted-git-server.ts";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
const wide = "3".repeat(64);
const main = "refs/heads/main";
const version1 = (...names: string[]) => [`${one} ${main}\0${names.join(" ")}\n`, `${two} refs/tags/v1\n`, "0000"];
const version2 = (...names: string[]) => ["version 2\n", ...names.map((name) => `${name}\n`), "0000"];
const pack = Buffer.from("PACK and so on");
const end = Buffer.from("0000");
const packet = (text: string) => Buffer.from((text.length + 4).toString(16).padStart(4, "0") + text);
const filterLine = "filter blob:limit=8388608\n";
/** Lines of a request, without their lengths. */
const linesOf = (body: string) =>
  body.replace(/[0-9a-f]{4}(?=command|agent|object|ref-|ofs|no-|filter|want|have|done)/gu, "");

function serverWith(...answers: readonly ScriptedAnswer[]) {
  const script = scriptedGitServer(...answers);
  return { ...script, server: makeUploadPack(script.transport, 1_000_000) };
}

describe("readRef and readRefs", () => {
  it("ask a server of version 2 once for its capabilities, and then for refs with the prefix", async () => {
    const refs = [`${one} ${main}\n`, `${two} refs/heads/mainline\n`, "0000"];
    const { server, requests, bodyOf } = serverWith(version2("ls-refs", "object-format=sha1"), refs, refs, ["0000"]);
    expect(await server.readRef(main)).toEqual({ id: one, format: "sha1" });
    expect(linesOf(bodyOf(1))).toBe(
      `command=ls-refs\nagent=git/rollcall\nobject-format=sha1\n0001ref-prefix ${main}\n0000`,
    );
    expect(await server.readRefs("refs/heads/mainl")).toEqual(new Map([["refs/heads/mainline", two]]));
    const { signal } = new AbortController();
    expect(await server.readRef(main, signal)).toEqual({ id: undefined, format: "sha1" });
    expect(requests.map((sent) => [sent.isVersion2, sent.body !== undefined, sent.signal])).toEqual([
      ...[
        [true, false],
        [true, true],
        [true, true],
      ].map((sent) => [...sent, undefined]),
      [true, true, signal],
    ]);
  });

  it("ask a server of version 1 each time for all its refs", async () => {
    const { server, requests } = serverWith(version1(), version1(), version1());
    expect(await server.readRef(main)).toEqual({ id: one, format: "sha1" });
    expect(await server.readRef("refs/heads/other")).toEqual({ id: undefined, format: "sha1" });
    expect(await server.readRefs("refs/tags/")).toEqual(new Map([["refs/tags/v1", two]]));
    expect(requests.length).toBe(3);
  });

  it("give ids of the format of the server, and name none that it does not offer", async () => {
    const { server, bodyOf } = serverWith(version2("object-format=sha256"), [`${wide} ${main}`, "0000"]);
    expect(await server.readRef(main)).toEqual({ id: wide, format: "sha256" });
    expect(bodyOf(1)).toContain("object-format=sha256");
    const plain = serverWith(version2(), ["0000"]);
    await plain.server.readRef(main);
    expect(plain.bodyOf(1)).not.toContain("object-format");
  });

  it.each([
    ["a list without its end", [`${one} ${main}`], "E_GIT_PROTOCOL", "ends early"],
    ["a line without an id", [`x ${main}`, "0000"], "E_GIT_PROTOCOL", "no ref where one is expected"],
    ["an id of another format", [`${wide} ${main}`, "0000"], "E_GIT_PROTOCOL", "no ref where one is expected"],
    ["a refusal", ["ERR not today\n", "0000"], "E_GIT_REMOTE", "reports: not today"],
  ])("fail with %s, and ask for capabilities again", async (_what, refs, code, text) => {
    const { server, requests } = serverWith(version2(), refs, version2(), [one, `${two} ${main}`, "0001", "0000"]);
    const failed = server.readRef(main);
    await expect(failed).rejects.toMatchObject({ code });
    await expect(failed).rejects.toThrow(text);
    expect(await server.readRef(main)).toEqual({ id: two, format: "sha1" });
    expect(requests.length).toBe(4);
  });
});

describe("fetchPack", () => {
  const wanted = { wants: [one, two], haves: ["a".repeat(40)] };
  const wantsAndHaves = `want ${one}\nwant ${two}\nhave ${"a".repeat(40)}\ndone\n`;
  const answer2 = Buffer.concat([packet("packfile\n"), onBand(2, "counting"), onBand(1, pack), end]);

  it.each([
    ["a server that offers none", version2("fetch=shallow"), "", false],
    ["one that offers no features", version2("fetch"), "", false],
    ["one that offers filters", version2("ls-refs", "fetch=shallow filter"), filterLine, true],
  ])("asks in version 2 for a pack of %s", async (_what, advertisement, filter, isFiltered) => {
    const { server, requests, bodyOf } = serverWith(advertisement, answer2);
    expect(await server.fetchPack(wanted)).toEqual({ pack, isFiltered });
    expect(linesOf(bodyOf(1))).toBe(
      `command=fetch\nagent=git/rollcall\n0001ofs-delta\nno-progress\n${filter}${wantsAndHaves}0000`,
    );
    expect(requests[1]).toMatchObject({ isVersion2: true, maximumBytes: 1_000_000 });
  });

  it.each([
    [["side-band-64k"], "side-band-64k agent=git/rollcall\n", "", false],
    [
      ["side-band-64k", "thin-pack", "no-progress", "ofs-delta", "multi_ack_detailed", "filter"],
      "side-band-64k multi_ack_detailed ofs-delta no-progress filter agent=git/rollcall\n",
      ...([filterLine, true] as const),
    ],
  ])("asks in version 1 for a pack of a server with %j", async (names, capabilities, filter, isFiltered) => {
    const answer = Buffer.concat([packet("ACK x common\n"), packet("NAK\n"), onBand(1, pack), onBand(1, "."), end]);
    const { server, requests, bodyOf } = serverWith(version1(...names), answer);
    const { signal } = new AbortController();
    expect(await server.fetchPack({ ...wanted, signal })).toEqual({
      pack: Buffer.concat([pack, Buffer.from(".")]),
      isFiltered,
    });
    expect(linesOf(bodyOf(1))).toBe(
      `want ${one} ${capabilities}want ${two}\n${filter}0000have ${"a".repeat(40)}\ndone\n`,
    );
    expect(requests.map((sent) => [sent.isVersion2, sent.signal])).toEqual([
      [true, signal],
      [false, signal],
    ]);
  });

  it("needs a side band in version 1", async () => {
    await expect(serverWith(version1("ofs-delta")).server.fetchPack(wanted)).rejects.toThrow("side-band-64k");
  });

  it("asks without a filter where the server refuses one that it offers, and does so from then on", async () => {
    const refusal = Buffer.concat([packet("ERR filtering is not supported"), end]);
    const { server, bodyOf, requests } = serverWith(version2("fetch=filter"), refusal, answer2, answer2);
    expect(await server.fetchPack(wanted)).toEqual({ pack, isFiltered: false });
    expect(await server.fetchPack(wanted)).toEqual({ pack, isFiltered: false });
    expect([1, 2, 3].map((index) => bodyOf(index).includes("filter"))).toEqual([true, false, false]);
    expect(requests.length).toBe(4);
  });

  it("asks with the filter again after a refusal that the filter was no reason for", async () => {
    const refusal = Buffer.concat([packet("ERR upload-pack: not our ref"), end]);
    const advertised = version2("fetch=filter");
    const { server, bodyOf } = serverWith(advertised, refusal, refusal, advertised, answer2);
    await expect(server.fetchPack(wanted)).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    expect(await server.fetchPack(wanted)).toEqual({ pack, isFiltered: true });
    expect([1, 2, 4].map((index) => bodyOf(index).includes("filter"))).toEqual([true, false, true]);
  });

  it.each([
    ["a pack that is no pack", Buffer.from("zzzz"), "E_GIT_PROTOCOL", "packet length"],
    ["an empty answer", Buffer.concat([packet("packfile\n"), end]), "E_GIT_PROTOCOL", "the answer has no pack"],
    ["no pack", end, "E_GIT_PROTOCOL", "ends early"],
    [
      "another line in the place of the pack",
      Buffer.concat([packet("nak\n"), onBand(1, pack), end]),
      "E_GIT_PROTOCOL",
      "early",
    ],
    ["no answer", new AppError("E_GIT_REMOTE", "reach the server: no answer"), "E_GIT_REMOTE", "no answer"],
  ])("does not ask without a filter after %s", async (_what, answer, code, text) => {
    const { server, requests } = serverWith(version2("fetch=filter"), answer, version2(), answer2);
    const failed = server.fetchPack(wanted);
    await expect(failed).rejects.toMatchObject({ code });
    await expect(failed).rejects.toThrow(text);
    expect(requests.length).toBe(2);
    expect(await server.fetchPack(wanted)).toEqual({ pack, isFiltered: false });
  });

  it.each([
    ["before the pack", Buffer.concat([packet("ERR no such commit"), end])],
    ["within the pack", Buffer.concat([packet("packfile\n"), onBand(3, "no such commit\n"), end])],
  ])("gives the text of a server that refuses %s", async (_when, answer) => {
    const failed = serverWith(version2("fetch"), answer).server.fetchPack(wanted);
    await expect(failed).rejects.toMatchObject({ code: "E_GIT_REMOTE", data: { isServerText: true } });
    await expect(failed).rejects.toThrow(/reports: no such commit$/u);
  });
});
