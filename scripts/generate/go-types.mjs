// Reads the struct types of Kubernetes' published Go files: fields with their JSON, protobuf and patch tags and markers.

/** Of Go text: `{structs: Map<name, fields>, atomic: Set<name>, named: Map<name, type>, enums: Map<name, values>}`. */
export function readGoTypes(text) {
  const structs = new Map();
  const atomic = new Set();
  const named = new Map();
  const enums = new Map();
  const lines = text.split("\n");
  let markers = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const struct = /^type (?<name>\w+) struct \{(?<end>\})?/u.exec(line)?.groups;
    const other = /^type (?<name>\w+) (?<type>[\w.[\]*]+)(?: \/\/.*)?$/u.exec(line)?.groups;
    if (struct !== undefined) {
      if (markers.includes("structType=atomic")) atomic.add(struct.name);
      const body = [];
      if (struct.end === undefined) {
        for (index += 1; lines[index] !== "}" && index < lines.length; index += 1) body.push(lines[index] ?? "");
      }
      structs.set(struct.name, readFields(body));
    } else if (other !== undefined) {
      named.set(other.name, other.type);
      if (markers.includes("enum")) enums.set(other.name, []);
    }
    markers = keepMarkers(markers, line);
  }
  for (const [, name, value] of text.matchAll(/^\s+(\w+)\s+(?:\w+\s+)?= ("[^"]*")/gmu))
    named.set(`const ${name}`, value);
  for (const [, type, value] of text.matchAll(/^(?:const|\s)\s*\w+\s+(\w+)\s*= ("[^"]*")/gmu))
    enums.get(type)?.push(JSON.parse(value));
  // Of a constant of another package the name remains.
  for (const [, type, value] of text.matchAll(/^\s+\w+\s*= (\w+)\(("[^"]*"|\w+\.\w+)\)/gmu))
    enums.get(type)?.push(value.startsWith('"') ? JSON.parse(value) : { constant: value.split(".")[1] });
  return { structs, atomic, named, enums };
}

/** The markers of the comment that ends here; a line that is no comment begins anew, an empty one does not. */
function keepMarkers(markers, line) {
  const marker = /^\s*\/\/ ?\+(?<text>\S.*)$/u.exec(line)?.groups?.text;
  if (marker !== undefined) return [...markers, marker.trim()];
  return /^\s*(?:\/\/|$)/u.test(line) ? markers : [];
}

function readFields(lines) {
  const fields = [];
  let markers = [];
  for (const line of lines) {
    const field = /^\s+(?:(?<name>\w+)\s+)?(?<type>[\w.[\]*]+)\s+`(?<tags>[^`]*)`/u.exec(line)?.groups;
    if (field === undefined) {
      markers = keepMarkers(markers, line);
      continue;
    }
    fields.push({ goName: field.name, type: field.type, tags: readTags(field.tags), markers });
    markers = [];
  }
  return fields;
}

function readTags(text) {
  return Object.fromEntries([...text.matchAll(/(\w+):"([^"]*)"/gu)].map(([, key, value]) => [key, value]));
}
