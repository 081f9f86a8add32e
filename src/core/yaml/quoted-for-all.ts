import { Schema } from "yaml";

/**
 * Options of the package `yaml` that write a text in quotes where one of its readers takes it for something else: YAML 1.1, as
 * kubectl reads it, such as `yes`, or YAML 1.2, as we read files, such as `0o17`.
 */
export const quotedForAll = { version: "1.1", compat: "core", lineWidth: 0 } as const;

const tags = new Schema({ schema: "yaml-1.1" }).tags.filter(({ tag }) => !tag.endsWith(":timestamp"));

/** The same, without quotes around times, of which a record of a cluster has many: a reader of YAML 1.1 may make them dates. */
export const quotedButTimes = { compat: tags, lineWidth: 0 };
