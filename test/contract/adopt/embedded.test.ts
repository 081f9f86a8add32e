import { describe, expect, it } from "vitest";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeImport, openImportStage } from "./suite.ts";

describeImport("the embedded hub", embeddedHub);

describe("rollcall import", () => {
  it("says so when the project is not known, or not on this hub", async () => {
    const stage = await openImportStage(embeddedHub, () => Promise.resolve());
    try {
      await expect(stage.runImport("flet")).rejects.toMatchObject({
        code: "E_USAGE",
        message: "flet is no project to import from; did you mean fleet?",
      });
      await expect(stage.runImport("kubefleet")).rejects.toMatchObject({
        code: "E_USAGE",
        message: expect.stringContaining("does not have the kinds of KubeFleet") as string,
      });
      expect(await stage.filesWritten()).toEqual([]);
    } finally {
      await stage.close();
    }
  });
});
