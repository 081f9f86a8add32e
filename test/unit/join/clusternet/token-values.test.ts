import { describe, expect, it } from "vitest";
import { clusternetProtocol as protocol } from "../../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { tokenAccountName } from "../../../../src/model/dialects/clusternet.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, tokenSubject, workspace } from "../hub-scene.ts";

describe("the values of a token", () => {
  const account = (uid: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `${tokenAccountName("eu-1", "door")}-token`, namespace: workspace, uid },
    data: { token: Buffer.from("t").toString("base64") },
  });
  const subjectWith = (...children: KubeObject[]) => ({
    ...tokenSubject("door", { protocol: "clusternet", clusterNames: ["eu-1"] }),
    children,
  });

  it("are made again for another address of the hub or another credential, and only then", async () => {
    const subject = { kind: "token", subject: subjectWith(account("uid-1")) } as const;
    const [due] = protocol.credentialsDue(subject, hubFacts());
    if (due === undefined) throw new Error("nothing is due");
    const credential = { due, issuedAt: "", random: new Uint8Array() };
    const { objects } = await protocol.deliver(subject, credential, hubFacts());
    const dueOf = (children: readonly KubeObject[], hub = hubFacts()) =>
      protocol.credentialsDue({ kind: "token", subject: subjectWith(...children) }, hub);
    expect(dueOf([account("uid-1"), ...objects])).toEqual([]);
    const moved = hubFacts({ endpoint: { url: "https://other", caBundle: "ca" } });
    expect(dueOf([account("uid-1"), ...objects], moved)).toHaveLength(1);
    expect(dueOf([account("uid-2"), ...objects])).toHaveLength(1);
  });
});
