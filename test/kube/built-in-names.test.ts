import { expect, it } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { twoHubs } from "../support/two-hubs.ts";
import { until } from "../support/until.ts";

const clients = twoHubs();
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const name = "ingressclasses.networking.k8s.io";
const kind = "/apis/networking.k8s.io/v1/ingressclasses";

it("a CRD with the name of a built-in kind is established, and changes nothing of it", async () => {
  for (const client of clients) {
    const created = await client.send({
      method: "POST",
      path: crds,
      body: {
        metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved, a trial" } },
        spec: {
          group: "networking.k8s.io",
          scope: "Cluster",
          names: { plural: "ingressclasses", kind: "IngressClass" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      },
    });
    expect(created.code).toBe(201);
    const isEstablished = await until(
      async () => {
        const { body } = await client.send({ method: "GET", path: `${crds}/${name}` });
        const conditions = objectsAt(body, "status", "conditions");
        return conditions.some((one) => textAt(one, "type") === "Established" && textAt(one, "status") === "True");
      },
      (isMet) => isMet,
    );
    expect(isEstablished).toBe(true);
    const body = { metadata: { name: "mine" }, spec: { controller: "example.org/mine" } };
    expect((await client.send({ method: "POST", path: kind, body })).code).toBe(201);
    const wrong = { metadata: { name: "wrong" }, spec: { controller: "no path" } };
    expect((await client.send({ method: "POST", path: kind, body: wrong })).code).toBe(422);
    await client.send({ method: "DELETE", path: `${crds}/${name}` });
    await until(
      () => client.send({ method: "GET", path: `${crds}/${name}` }),
      ({ code }) => code === 404,
    );
    expect((await client.send({ method: "GET", path: `${kind}/mine` })).body).toMatchObject(body);
    await client.send({ method: "DELETE", path: `${kind}/mine` });
  }
});
