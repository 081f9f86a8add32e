/** What a person does where only the git program can read a repository. */
export const nativeRemedy = "Add --git-backend native; that needs the program git.";
