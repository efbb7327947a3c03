/** What `onSubmit` throws for an error of its own at a field, or with "" for the whole form. */
export class FormProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}
