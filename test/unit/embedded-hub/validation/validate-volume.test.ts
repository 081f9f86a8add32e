import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { validateVolumes } from "../../../../src/embedded-hub/validation/validate-volume.ts";
import { changed, podSpec, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

function problems(...changes: Change[]): string[] {
  return problemsOf(validatePodSpec(changed(podSpec, ...changes), "spec", true));
}

describe("volumes", () => {
  const volume = (source: JsonObject, ...others: JsonObject[]): Change => [
    "volumes",
    [{ name: "v", ...source }, ...others],
  ];
  const at = "spec.volumes[0]";
  const projected = (...sources: JsonObject[]): Change => volume({ projected: { defaultMode: 420, sources } });
  const token = (part: JsonObject): Change =>
    projected({ serviceAccountToken: { path: "t", expirationSeconds: 3600, ...part } });
  const tokenAt = `${at}.projected.sources[0].serviceAccountToken`;
  const file = (name: string): JsonObject => ({
    path: name,
    fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels" },
  });

  it.each<{ change: Change; expected: readonly string[] }>([
    { change: volume({ emptyDir: {} }), expected: [] },
    { change: volume({}), expected: [`Required ${at}`] },
    { change: volume({ emptyDir: {}, secret: { secretName: "s" } }), expected: [`Forbidden ${at}.secret`] },
    { change: volume({ emptyDir: {} }, { name: "v", emptyDir: {} }), expected: ["Duplicate spec.volumes[1].name"] },
    { change: volume({ name: "V_", emptyDir: {} }), expected: [`Invalid ${at}.name`] },
    { change: volume({ name: "", emptyDir: {} }), expected: [`Required ${at}.name`] },
    { change: volume({ hostPath: { path: "/x" } }), expected: [] },
    { change: volume({ hostPath: { path: "" } }), expected: [`Required ${at}.hostPath.path`] },
    { change: volume({ hostPath: { path: "/a/../b" } }), expected: [`Invalid ${at}.hostPath.path`] },
    { change: volume({ hostPath: { path: "/x", type: "Odd" } }), expected: [`NotSupported ${at}.hostPath.type`] },
    { change: volume({ secret: {} }), expected: [`Required ${at}.secret.secretName`] },
    { change: volume({ secret: { secretName: "s", defaultMode: 0o777 } }), expected: [] },
    {
      change: volume({ secret: { secretName: "s", defaultMode: 0o1000 } }),
      expected: [`Invalid ${at}.secret.defaultMode`],
    },
    {
      change: volume({ secret: { secretName: "s", items: [{ key: "k", path: "../p" }] } }),
      expected: [`Invalid ${at}.secret.items[0].path`],
    },
    {
      change: volume({ secret: { secretName: "s", items: [{ key: "k", path: "..p" }] } }),
      expected: [`Invalid ${at}.secret.items[0].path`],
    },
    {
      change: volume({ secret: { secretName: "s", items: [{ path: "p", mode: -1 }] } }),
      expected: [`Required ${at}.secret.items[0].key`, `Invalid ${at}.secret.items[0].mode`],
    },
    { change: volume({ configMap: {} }), expected: [`Required ${at}.configMap.name`] },
    {
      change: volume({ configMap: { name: "c", items: [{ key: "k", path: "/p" }] } }),
      expected: [`Invalid ${at}.configMap.items[0].path`],
    },
    { change: volume({ persistentVolumeClaim: {} }), expected: [`Required ${at}.persistentVolumeClaim.claimName`] },
    { change: volume({ nfs: { server: "s", path: "p" } }), expected: [`Invalid ${at}.nfs.path`] },
    { change: volume({ nfs: { path: "/p" } }), expected: [`Required ${at}.nfs.server`] },
    { change: volume({ csi: {} }), expected: [`Required ${at}.csi.driver`, `Invalid ${at}.csi.driver`] },
    { change: volume({ downwardAPI: { items: [file("p")] } }), expected: [] },
    { change: volume({ downwardAPI: { items: [{ path: "p" }] } }), expected: [`Required ${at}.downwardAPI`] },
    {
      change: volume({ downwardAPI: { items: [{ ...file("p"), resourceFieldRef: { resource: "limits.cpu" } }] } }),
      expected: [`Invalid ${at}.downwardAPI`],
    },
    {
      change: volume({ downwardAPI: { items: [{ path: "p", resourceFieldRef: { resource: "limits.cpu" } }] } }),
      expected: [`Required ${at}.downwardAPI.resourceFieldRef.containerName`],
    },
    { change: token({ expirationSeconds: 599 }), expected: [`Invalid ${tokenAt}.expirationSeconds`] },
    { change: token({ expirationSeconds: 600 }), expected: [] },
    { change: token({ expirationSeconds: 2 ** 32 }), expected: [] },
    { change: token({ expirationSeconds: 2 ** 32 + 1 }), expected: [`Invalid ${tokenAt}.expirationSeconds`] },
    { change: token({ path: "" }), expected: [`Required ${at}.projected.path`] },
    { change: token({ path: "../t" }), expected: [`Invalid ${at}.projected.path`] },
    {
      change: projected({ secret: { name: "s" }, configMap: { name: "c" } }),
      expected: [`Forbidden ${at}.projected.sources[0]`],
    },
    { change: projected({ secret: {} }), expected: [`Required ${at}.projected.sources[0].secret.name`] },
    { change: projected({ downwardAPI: { items: [file("p"), file("p")] } }), expected: [`Invalid ${at}.projected`] },
    { change: projected({ downwardAPI: { items: [file("p"), file("q")] } }), expected: [] },
  ])("have $expected with $change", ({ change, expected }) => {
    expect(problems(change)).toEqual(expected);
  });
});

describe("the name of a volume of iSCSI whose initiator has a name", () => {
  const initiator = { initiatorName: "iqn.2001-04.com.example:a" };
  const text =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

  // The answers of kube-apiserver 1.34.4.
  it.each<{ name: string; targetPortal: string; given: JsonObject; isRefused: boolean }>([
    { name: "v".repeat(56), targetPortal: "1.2.3.4", given: initiator, isRefused: false },
    { name: "v".repeat(57), targetPortal: "1.2.3.4", given: initiator, isRefused: true },
    { name: "v".repeat(57), targetPortal: "1.2.3.4", given: {}, isRefused: false },
    { name: "v", targetPortal: "1".repeat(62), given: initiator, isRefused: false },
    { name: "v", targetPortal: "é".repeat(32), given: initiator, isRefused: true },
  ])("is refused beside $targetPortal: $isRefused", ({ name, targetPortal, given, isRefused }) => {
    const iscsi = { targetPortal, iqn: "iqn.2001-04.com.example:storage", ...given };
    const { errors } = validateVolumes({ volumes: [{ name, iscsi }] }, "spec");
    const expected = { field: "spec.volumes[0].name", message: `Invalid value: "${name}": ${text}` };
    expect(errors.map(({ field, message }) => ({ field, message }))).toEqual(isRefused ? [expected] : []);
  });
});
