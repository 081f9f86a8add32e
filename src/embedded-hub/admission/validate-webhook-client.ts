import { parseUrl } from "../../cel/url-parts.ts";
import { checkSubdomain } from "../../core/formats/kube-names.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, textAt } from "../../core/read-json.ts";
import { invalid, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

const form = "; desired format: https://host[/path]";

/**
 * What is wrong with the `clientConfig` of a webhook: it names a URL or a Service.
 * Source: k8s.io/apiserver, pkg/util/webhook/validation.go.
 */
export function validateWebhookClient(webhook: JsonObject, path: string): FieldError[] {
  const client = objectAt(webhook, "clientConfig") ?? {};
  const url = textAt(client, "url");
  const service = objectAt(client, "service");
  if ((url === undefined) === (service === undefined)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (url !== undefined) return validateUrl(url, `${path}.url`);
  return service === undefined ? [] : validateService(service, `${path}.service`);
}

function validateUrl(url: string, path: string): FieldError[] {
  // The reader takes absolute URLs and paths only.
  const absolute = url.startsWith("/") || /^[^/?#]*:/u.test(url) ? url : `/${url}`;
  const parsed = parseUrl(absolute);
  if (typeof parsed === "string") {
    const fault = parsed.replace(JSON.stringify(absolute), JSON.stringify(url));
    return [required(path, `url must be a valid URL: ${fault}${form}`)];
  }
  const [beforeFragment = "", fragment = ""] = splitAt(url, "#");
  const [beforeQuery = "", query = ""] = splitAt(beforeFragment, "?");
  const authority = /^[^/]*\/\/([^/]*)/u.exec(beforeQuery)?.[1] ?? "";
  const user = authority.slice(0, Math.max(authority.lastIndexOf("@"), 0));
  return [
    ...(parsed.scheme === "https"
      ? []
      : [invalid(path, parsed.scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(parsed.host === "" ? [invalid(path, parsed.host, `host must be specified${form}`)] : []),
    ...(authority.includes("@") ? [invalid(path, user, "user information is not permitted in the URL")] : []),
    ...(fragment === "" ? [] : [invalid(path, fragment, "fragments are not permitted in the URL")]),
    ...(query === "" ? [] : [invalid(path, query, "query parameters are not permitted in the URL")]),
  ];
}

function splitAt(text: string, separator: string): readonly string[] {
  const place = text.indexOf(separator);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

/** An empty name is reported at `namespace`, and an empty namespace at `name`, as kube-apiserver does. */
function validateService(service: JsonObject, path: string): FieldError[] {
  const port = numberAt(service, "port") ?? 443;
  return [
    ...((textAt(service, "namespace") ?? "") === "" ? [required(`${path}.name`)] : []),
    ...((textAt(service, "name") ?? "") === "" ? [required(`${path}.namespace`)] : []),
    ...(port < 1 || port > 65535
      ? [invalid(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive")]
      : []),
    ...validatePath(textAt(service, "path") ?? "", `${path}.path`),
  ];
}

function validatePath(path: string, field: string): FieldError[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalid(field, path, "segment[0] may not be empty")];
  const segments = path.slice(1).replace(/\/$/u, "").split("/");
  return [
    ...(path.startsWith("/") ? [] : [invalid(field, path, "must start with a '/'")]),
    ...segments.flatMap((segment, index) =>
      segment === ""
        ? [invalid(field, path, `segment[${index}] may not be empty`)]
        : checkSubdomain(segment).map((text) => invalid(field, path, `segment[${index}]: ${text}`)),
    ),
  ];
}
