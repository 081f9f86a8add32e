import { describe, expect, it } from "vitest";
import { pushPack } from "../../../../src/git/wire/receive-pack.ts";
import { encodePacket, encodePackets } from "../../../../src/git/wire/pkt-line.ts";
import { onBand, scriptedGitServer } from "../../../support/scripted-git-server.ts";

const [one, two, three] = ["1".repeat(40), "2".repeat(40), "3".repeat(40)];
const zero = "0".repeat(40);
const ref = "refs/heads/status";
const update = { ref, oldId: one, newId: two, pack: Buffer.from("PACK of the commit") };
const ok = ["unpack ok\n", `ok ${ref}\n`, "0000"];

/** What a server answers that has the ref there, first of all. */
function at(id: string | undefined, capabilities = "report-status delete-refs"): string[] {
  return [`${id ?? zero} ${id === undefined ? "capabilities^{}" : ref}\0${capabilities}`, "0000"];
}

function commandOf(from: string, to: string, offered = ""): string {
  const line = `${from} ${to} ${ref}\0report-status${offered} agent=git/rollcall`;
  return `${encodePacket(line).toString("latin1")}0000`;
}

describe("pushPack", () => {
  it.each([
    ["an update", update, at(one), commandOf(one, two)],
    ["a new ref", { ...update, oldId: undefined }, at(undefined), commandOf(zero, two)],
    ["a deletion", { ref, oldId: one, newId: undefined }, at(one), commandOf(one, zero)],
    [
      "an update with all that is offered",
      update,
      at(one, "report-status ofs-delta quiet atomic object-format=sha1"),
      commandOf(one, two, " ofs-delta atomic object-format=sha1"),
    ],
  ])("sends %s", async (_what, request, before, command) => {
    const { transport, requests, bodyOf } = scriptedGitServer(before, ok);
    const { signal } = new AbortController();
    await pushPack(transport, { ...request, signal });
    expect(bodyOf(1)).toBe(command + ("pack" in request ? String(update.pack) : ""));
    expect(requests.map((sent) => [sent.service, sent.signal])).toEqual([
      ["git-receive-pack", signal],
      ["git-receive-pack", signal],
    ]);
    expect(requests[1]?.maximumBytes).toBe(256 * 1024);
  });

  it("sends nothing to delete a ref that is not there", async () => {
    const { transport, requests } = scriptedGitServer(at(undefined));
    await pushPack(transport, { ref, oldId: one, newId: undefined });
    expect(requests.length).toBe(1);
    expect(requests[0]).not.toHaveProperty("signal");
  });

  it.each([
    ["is elsewhere before", update, [at(three)], { expected: one, actual: three }],
    ["is there before", { ...update, oldId: undefined }, [at(three)], { expected: undefined, actual: three }],
    ["is not there before", update, [at(undefined)], { expected: one, actual: undefined }],
    [
      "is elsewhere after a refusal",
      update,
      [at(one), ["unpack ok", `ng ${ref} busy`, "0000"], at(three)],
      { actual: three },
    ],
  ])("loses a race where the ref %s", async (_when, request, answers, data) => {
    const { transport } = scriptedGitServer(...answers);
    const pushed = pushPack(transport, request);
    await expect(pushed).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE", data });
    const { expected = "nothing", actual = "nothing" } = { expected: one, ...data };
    await expect(pushed).rejects.toThrow(`it is at ${actual}, not at ${expected}`);
  });

  it.each([
    ["another ref", ["unpack ok", "ok refs/heads/other", "0000"], "no reason given"],
    ["a reason", ["unpack ok", `ng ${ref} a hook refuses`, "0000"], "a hook refuses"],
    ["a reason beside a success", ["unpack ok", `ok ${ref}`, `ng ${ref} no`, "0000"], "refuses: no"],
    ["a pack that it cannot read", ["unpack disk is full", `ok ${ref}`, "0000"], "disk is full"],
    ["a secret", ["unpack ok", `ng ${ref} s3cret-password`, "0000"], "refuses: "],
  ])("is denied where the server reports %s", async (_what, report, text) => {
    const pushed = pushPack(scriptedGitServer(at(one), report, at(one)).transport, update);
    await expect(pushed).rejects.toMatchObject({ code: "E_GIT_PUSH_DENIED", data: { ref } });
    await expect(pushed).rejects.toThrow(text);
    await expect(pushed).rejects.not.toThrow("s3cret-password");
  });

  it("has deleted a ref that is not there after a refusal", async () => {
    const report = ["unpack ok", `ng ${ref} no such ref`, "0000"];
    await pushPack(scriptedGitServer(at(one), report, at(undefined)).transport, { ref, oldId: one, newId: undefined });
    const still = scriptedGitServer(at(one), report, at(one)).transport;
    await expect(pushPack(still, { ref, oldId: one, newId: undefined })).rejects.toThrow("no such ref");
  });

  it.each([
    ["reports nothing on pushes", [at(one, "delete-refs")], update, "E_GIT_PROTOCOL"],
    ["allows no deletion", [at(one, "report-status")], { ref, oldId: one, newId: undefined }, "E_GIT_PUSH_DENIED"],
    ["reports no result", [at(one), [`ok ${ref}`, "0000"]], update, "E_GIT_PROTOCOL"],
  ])("fails where the server %s", async (_what, answers, request, code) => {
    await expect(pushPack(scriptedGitServer(...answers).transport, request)).rejects.toMatchObject({ code });
  });

  it("allows a push where the server allows no deletion", async () => {
    await pushPack(scriptedGitServer(at(one, "report-status"), ok).transport, update);
  });

  describe("over a side band", () => {
    const before = at(one, "report-status side-band-64k");
    const end = Buffer.from("0000");

    it("reads a report in pieces, between what hooks print", async () => {
      const report = encodePackets(ok);
      const answer = [onBand(2, "hello"), onBand(1, report.subarray(0, 7)), onBand(1, report.subarray(7)), end];
      const { transport, bodyOf } = scriptedGitServer(before, Buffer.concat(answer));
      await pushPack(transport, update);
      expect(bodyOf(1)).toContain("report-status side-band-64k agent");
    });

    it("shows what hooks print with a refusal", async () => {
      const report = encodePackets(["unpack ok", `ng ${ref} hook declined`, "0000"]);
      const answer = Buffer.concat([onBand(2, "line one, "), onBand(2, "line two"), onBand(1, report), end]);
      const pushed = pushPack(scriptedGitServer(before, answer, before).transport, update);
      await expect(pushed).rejects.toThrow("refuses: hook declined line one, line two");
    });

    it("fails where the server breaks off", async () => {
      const answer = Buffer.concat([onBand(3, "out of memory"), end]);
      const pushed = pushPack(scriptedGitServer(before, answer).transport, update);
      await expect(pushed).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
      await expect(pushed).rejects.toThrow("the push was cut off: out of memory");
    });
  });
});
