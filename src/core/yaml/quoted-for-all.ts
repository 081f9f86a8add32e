/**
 * Options of the package `yaml` that write a text in quotes where one of its readers takes it for something else: YAML 1.1, as
 * kubectl reads it, such as `yes`, or YAML 1.2, as we read files, such as `0o17`.
 */
export const quotedForAll = { version: "1.1", compat: "core", lineWidth: 0 } as const;
