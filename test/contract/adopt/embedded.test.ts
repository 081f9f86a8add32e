import { describe, expect, it } from "vitest";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeClusterApiImport } from "./cluster-api-suite.ts";
import { describeClusternetImport } from "./clusternet-suite.ts";
import { describeImport, openImportStage } from "./suite.ts";

describeImport("the embedded hub", embeddedHub);
describeClusternetImport("the embedded hub", embeddedHub);
describeClusterApiImport("the embedded hub", embeddedHub, { version: "v1beta1", startCluster: embeddedHub });
describeClusterApiImport("the embedded hub", embeddedHub, { version: "v1beta2", startCluster: embeddedHub });

describe("rollcall import", () => {
  it("refuses a project that is not known, or not on this hub", async () => {
    const stage = await openImportStage(embeddedHub, () => Promise.resolve());
    try {
      await expect(stage.runImport("flet")).rejects.toMatchObject({
        code: "E_USAGE",
        message: "project is flet; it can be fleet, kubefleet, clusternet, cluster-api (did you mean fleet?)",
      });
      await expect(stage.runImport("kubefleet")).rejects.toMatchObject({
        code: "E_USAGE",
        message: expect.stringContaining("does not have the kinds of KubeFleet") as string,
      });
      await expect(stage.runImport("cluster-api")).rejects.toMatchObject({
        code: "E_USAGE",
        message: expect.stringContaining(
          "does not have the kinds of Cluster API (clusters.cluster.x-k8s.io, v1beta2 or v1beta1): is it the right kubeconfig",
        ) as string,
      });
      await expect(stage.runImport("fleet", { watch: true })).rejects.toMatchObject({
        code: "E_USAGE",
        message: "--watch is for cluster-api: run rollcall import fleet again for what is new",
      });
      expect(await stage.filesWritten()).toEqual([]);
    } finally {
      await stage.close();
    }
  });
});
