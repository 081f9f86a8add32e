import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Forge, PlanComment } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { commitA, commitB, forgeToken } from "../../support/forge/forge-state.ts";
import { createManualClock } from "../../support/manual-clock.ts";

describe("GitHub with the token of an app", () => {
  const plan: PlanComment = {
    ...{ pullRequest: 5, repository: "ns.fleet", base: commitA, head: commitB },
    markdown: "plan",
  };
  const body = `<!-- rollcall:plan repository=ns.fleet base=${commitA} head=${commitB} -->\nAll is well.`;
  let server: ForgeServer;
  let forge: Forge;

  beforeEach(async () => {
    server = await startForgeServer("GitHub");
    server.state.userId = undefined;
    const { repositoryUrl } = server;
    forge = openForge({ provider: "GitHub", repositoryUrl, token: forgeToken, clock: createManualClock() });
  });
  afterEach(async () => {
    await forge.close();
    await server.stop();
  });

  it("knows its comment again", async () => {
    server.state.comments.push({ id: 1, pull: 5, authorId: 55, authorType: "User", isSystem: false, body });
    expect(await forge.writePlanComment(plan)).toBe("created");
    expect(await forge.writePlanComment(plan)).toBe("unchanged");
  });

  it("A152 neither writes its plan into another bot's comment that has our marker, nor deletes that one", async () => {
    const comment = { pull: 5, authorId: 41_898_282, authorType: "Bot", isSystem: false, body } as const;
    server.state.comments.push({ id: 1, ...comment });
    expect(await forge.writePlanComment(plan)).toBe("created");
    server.state.comments.push({ id: 2, ...comment });
    expect(await forge.writePlanComment({ ...plan, markdown: "another plan" })).toBe("updated");
    expect(server.state.comments.map((one) => [one.authorId, one.body.split("\n")[1]])).toEqual([
      [comment.authorId, "All is well."],
      [99, "another plan"],
      [comment.authorId, "All is well."],
    ]);
  });

  it("comments nothing when it cannot learn who it is", async () => {
    await forge.writePlanComment(plan);
    server.refuseWrites = (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"errors":[{"message":"no"}]}');
      return true;
    };
    await expect(forge.writePlanComment(plan)).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
    expect(server.state.comments).toHaveLength(1);
  });
});
