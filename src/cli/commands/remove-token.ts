import { declaredTokens, readDeclaredDocuments } from "../../work-tree/declared-documents.ts";
import type { PlainContext } from "./command-context.ts";
import { deleteFiles, findDeclared, refuseSharedFile } from "./find-declared.ts";

/**
 * `rollcall remove token NAME`: deletes its file from a work tree, and prints the effect of the next push. The hub is not
 * changed.
 * @throws E_USAGE when no file declares it, several do, or its file must be edited manually
 */
export async function runRemoveToken({ settings, args, stdout }: PlainContext): Promise<number> {
  const dir = settings.requiredText("dir");
  const declared = await readDeclaredDocuments(dir);
  const found = findDeclared(declaredTokens(declared), {
    kind: "ClusterRegistrationToken",
    given: args[0] ?? "",
    workspaceOption: settings.text("workspace"),
  });
  refuseSharedFile(found, declared);
  const [path = ""] = await deleteFiles(dir, [found]);
  stdout.write(
    `deleted ${path}\n` +
      `After the next push no cluster joins by ${found.object.metadata.name}. Clusters that joined by it stay.\n`,
  );
  return 0;
}
