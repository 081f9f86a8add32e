import { AppError } from "../../core/errors.ts";

/** A registry, a path, and a tag or a digest. Source: the OCI distribution specification, names and references. */
const image = /^[A-Za-z0-9][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/u;

/** An image, which a workflow and the values of a chart contain unchanged. @throws E_USAGE for what is no name of one */
export function checkImage(value: string, what: string): string {
  if (value.length <= 512 && image.test(value)) return value;
  const example = "registry.example.com/rollcall:1.2.3";
  throw new AppError("E_USAGE", `${what} ${JSON.stringify(value.slice(0, 100))} is no image, such as ${example}`);
}
