import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import { indexPath, invalid, notFound, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const ofClaims = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";

/** Volumes of a Pod that are good, by name; true for those of claims, which may be block devices. */
export type PodVolumes = ReadonlyMap<string, boolean>;

/** What is wrong with the block devices of a container. */
export function validateDevices(container: JsonObject, path: string, volumes: PodVolumes): FieldError[] {
  const mounts = placesOf(container, "volumeMounts", "mountPath");
  const names = new Set<string>();
  const paths = new Set<string>();
  return objectsAt(container, "volumeDevices").flatMap((device, index) => {
    const item = indexPath(path, index);
    const name = textAt(device, "name") ?? "";
    const devicePath = textAt(device, "devicePath") ?? "";
    const hasBacksteps = devicePath.split("/").includes("..");
    const of = { name: `${item}.name`, path: `${item}.devicePath` };
    const errors = [
      ...(name === "" ? [required(of.name)] : []),
      ...(names.has(name) ? [invalid(of.name, name, "must be unique")] : []),
      ...(volumes.get(name) === false ? [invalid(of.name, name, ofClaims)] : []),
      ...(volumes.has(name) ? [] : [notFound(of.name, name)]),
      ...(devicePath === "" ? [required(of.path)] : []),
      ...(paths.has(devicePath) ? [invalid(of.path, devicePath, "must be unique")] : []),
      ...(hasBacksteps ? [invalid(of.path, devicePath, "can not contain backsteps ('..')")] : []),
      ...forbidSamePlace({ name, place: devicePath }, { ...of, list: "volumeMounts" }, mounts),
    ];
    if (name !== "") names.add(name);
    if (!hasBacksteps) paths.add(devicePath);
    return errors;
  });
}

/** Where the devices of a container are. */
export function devicePlacesOf(container: JsonObject): Places {
  return placesOf(container, "volumeDevices", "devicePath");
}

/** What is wrong with a mount that is a device too. */
export function forbidDevice(mount: JsonObject, path: string, devices: Places): FieldError[] {
  const name = textAt(mount, "name") ?? "";
  const place = textAt(mount, "mountPath") ?? "";
  return forbidSamePlace(
    { name, place },
    { name: `${path}.name`, path: `${path}.mountPath`, list: "volumeDevices" },
    devices,
  );
}

/** Of the volumes that a list names. */
interface Places {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

interface Fields {
  readonly name: string;
  readonly path: string;
  readonly list: string;
}

function forbidSamePlace(
  { name, place }: { readonly name: string; readonly place: string },
  { name: nameField, path, list }: Fields,
  others: Places,
): FieldError[] {
  return [
    ...(others.names.has(name) ? [invalid(nameField, name, `must not already exist in ${list}`)] : []),
    ...(others.paths.has(place) ? [invalid(path, place, `must not already exist as a path in ${list}`)] : []),
  ];
}

/** Of a volume that occurs twice the last place counts. */
function placesOf(container: JsonObject, list: string, field: string): Places {
  const places = new Map(
    objectsAt(container, list).map((one) => [textAt(one, "name") ?? "", textAt(one, field) ?? ""]),
  );
  return { names: new Set(places.keys()), paths: new Set(places.values()) };
}
