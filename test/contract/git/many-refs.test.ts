import { describe, expect, it } from "vitest";
import { encodePacket } from "../../../src/git/wire/pkt-line.ts";
import { measureLoop } from "../../support/measure-loop.ts";
import { ofThisMachine } from "../../support/of-this-machine.ts";
import { setUpHttp } from "./http-fixture.ts";

const mebibyte = 1024 ** 2;
const contentType = "application/x-git-upload-pack-advertisement";
const id = "0123456789abcdef0123456789abcdef01234567";

/** A list of refs in version 1 whose names have 200 bytes, each followed by what a tag points to. */
function refList(count: number): Buffer {
  const lines = Array.from({ length: count }, (_, index) => {
    const name = `refs/tags/${String(index).padStart(190, "0")}`;
    const capabilities = index === 0 ? "\0side-band-64k ofs-delta" : "";
    return [encodePacket(`${id} ${name}${capabilities}\n`), encodePacket(`${id} ${name}^{}\n`)];
  });
  return Buffer.concat([encodePacket("# service=git-upload-pack\n"), Buffer.from("0000"), ...lines.flat()]);
}

const floods = [
  { what: "empty lines", body: Buffer.alloc(32 * mebibyte - 64, "0004") },
  { what: "marks that end a list", body: Buffer.alloc(32 * mebibyte - 64, "0000") },
  { what: "lines of one byte", body: Buffer.alloc(30 * mebibyte, "0005x") },
  { what: "refs", body: Buffer.concat([refList(51_000), Buffer.from("0000")]) },
];

describe("a server with very many refs", () => {
  it("A57 is read when it has 50,000 with long names, in proportion to their number", async () => {
    const { server, open } = await setUpHttp({ isVersion2: false });
    const engine = await open();
    const cpuMsOf = async (count: number): Promise<number> => {
      const body = Buffer.concat([refList(count), Buffer.from("0000")]);
      server.setFault(() => ({ kind: "answer", contentType, body }));
      let leastMs = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 3; run += 1) {
        const { outcome, cpuMs } = await measureLoop(() => engine.listBranches());
        expect(outcome).toEqual(new Map());
        leastMs = Math.min(leastMs, cpuMs);
      }
      return leastMs;
    };
    await cpuMsOf(6_250);
    const costs = [await cpuMsOf(12_500), await cpuMsOf(50_000)] as const;
    // Two doublings.
    expect(costs[1] / costs[0]).toBeLessThan(2.3 ** 2 + 1);
  });

  it.each(floods)("A57 is given up when it sends $what without end", async ({ body }) => {
    const { server, open } = await setUpHttp();
    server.setFault(() => ({ kind: "answer", contentType, body }));
    const engine = await open();
    const { outcome, cpuMs, heldMiB } = await measureLoop(() => engine.listBranches());
    expect(outcome).toMatchObject({ code: "E_UNSUPPORTED", data: { maximumLines: 100_100 } });
    expect(cpuMs).toBeLessThan(ofThisMachine(1500));
    expect(heldMiB).toBeLessThan(96);
  });
});
