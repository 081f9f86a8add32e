/** Answers of a status below 200 before the answer itself; API servers and git servers send one at most. */
const mostInterimAnswers = 16;

/**
 * Counts the interim answers (1xx) to one request, one with each call; `refuse` gets an error when there are more than 16. No
 * bound of the clients ends these, since each of them is a whole head.
 */
export function countInterimAnswers(refuse: (error: Error) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > mostInterimAnswers) refuse(new Error(`more than ${mostInterimAnswers} interim answers (1xx) came`));
  };
}

/** The same as an option of undici, which ends a request with what is thrown there. */
export function onInterimAnswer(): () => void {
  return countInterimAnswers((error) => {
    throw error;
  });
}
