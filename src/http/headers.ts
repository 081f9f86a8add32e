/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The value of a header; the first when there are several. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0];
}
